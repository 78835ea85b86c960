/**
 * The section “Agents” in the notebook tab of the replay: the runs of agents, newest first.
 *
 * Invariant: texts of agents are never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import {
  UseSignal,
  caretDownIcon,
  caretRightIcon
} from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { AgentLevel, RunSummary } from '../../../api/types';
import { cellName } from '../../../labels/cellNames';
import { failureText } from '../../../labels/failureText';
import { showTime } from '../../../labels/time';
import { CommandIDs, type IAgentsOptions } from '../../../tokens';
import { Button } from '../../../ui/button';
import type { AgentRuns } from '../model/runs';
import { levelText, proposalsText, stateText } from './agentLabels';
import { changedCells, confirmUndo } from './undoDialog';

/** The number of runs that are shown before the person asks for all. */
const SHOWN_RUNS = 5;

/** The characters of a run's id that a search needs. */
const RUN_ID_CHARS = 8;

export interface IRunsViewProps extends IAgentsOptions {
  readonly runs: AgentRuns;
  readonly commands: CommandRegistry;
  readonly trans: TranslationBundle;
}

export function RunsView(props: IRunsViewProps): React.JSX.Element {
  const { notebookId, runs } = props;
  React.useEffect(() => {
    runs.show(notebookId);
    return () => runs.show(null);
  }, [runs, notebookId]);
  return (
    <UseSignal signal={runs.stateChanged}>
      {() => <Section {...props} />}
    </UseSignal>
  );
}

function Section(props: IRunsViewProps): React.JSX.Element | null {
  const { runs, trans } = props;
  const [showsAll, setShowsAll] = React.useState(false);
  const all = runs.runs;
  if (!all.length) {
    return null;
  }
  const shown = showsAll ? all : all.slice(0, SHOWN_RUNS);
  return (
    <section
      className="jp-AIServer-Agents"
      aria-labelledby="jp-AIServer-Agents-title"
    >
      <div className="jp-AIServer-Agents-head">
        <h3 id="jp-AIServer-Agents-title">{trans.__('Agents')}</h3>
        <Waiting {...props} />
      </div>
      {runs.failure && (
        <p className="jp-AIServer-Agents-failure" role="alert">
          {failureText(runs.failure, trans)}
        </p>
      )}
      <ul aria-label={trans.__('Runs of agents')}>
        {shown.map(run => (
          <Run key={run.run} {...props} run={run} />
        ))}
      </ul>
      {shown.length < all.length && (
        <Button
          quiet
          label={trans.__('Show all %1 runs', all.length)}
          run={() => setShowsAll(true)}
        />
      )}
    </section>
  );
}

/** “3 waiting · Next”. The element stays, so that a screen reader announces the number. */
function Waiting(props: IRunsViewProps): React.JSX.Element {
  const { runs, commands, trans } = props;
  const count = runs.waitingCount;
  const { nextProposal } = CommandIDs;
  return (
    <>
      <span role="status">
        {count > 0 && trans._n('%1 waiting', '%1 waiting', count)}
      </span>
      {count > 0 && commands.hasCommand(nextProposal) && (
        <Button
          label={trans.__('Next')}
          title={commands.caption(nextProposal)}
          run={() => void commands.execute(nextProposal)}
        />
      )}
    </>
  );
}

interface IRunProps extends IRunsViewProps {
  readonly run: RunSummary;
}

function Run(props: IRunProps): React.JSX.Element {
  const { run, trans, now, locale } = props;
  const [isOpen, setOpen] = React.useState(false);
  const Caret = isOpen ? caretDownIcon : caretRightIcon;
  const { short, full } = showTime(run.begun, now, locale);
  const title = run.intent || trans.__('No intent given');
  return (
    <li className="jp-AIServer-Agents-run">
      <button
        type="button"
        aria-expanded={isOpen}
        title={title}
        onClick={() => setOpen(!isOpen)}
      >
        <Caret.react tag="span" />
        <span className="jp-AIServer-Agents-name">{run.agent.name}</span>
        <span className="jp-AIServer-Agents-intent">{title}</span>
        <span className="jp-AIServer-Agents-facts">
          {[
            trans._n('%1 cell', '%1 cells', run.cells.length),
            stateText(run.state, trans)
          ].join(' · ')}
          {' · '}
          <time dateTime={run.begun} title={full}>
            {short}
          </time>
        </span>
      </button>
      {isOpen && <Details {...props} />}
    </li>
  );
}

function Details(props: IRunProps): React.JSX.Element {
  const { run, numberOf, goTo, trans } = props;
  const decided = proposalsText(run.proposals, trans);
  const facts = [
    run.edits && trans._n('%1 change', '%1 changes', run.edits),
    decided,
    run.read && trans._n('%1 cell read', '%1 cells read', run.read)
  ];
  return (
    <div className="jp-AIServer-Agents-details">
      {run.summary && <p>{run.summary}</p>}
      <p>{facts.filter(Boolean).join(' · ')}</p>
      {run.cells.length > 0 && (
        <ul
          className="jp-AIServer-Agents-cells"
          aria-label={trans.__('Cells of this run')}
        >
          {run.cells.map(id => (
            <li key={id}>
              <Button
                quiet
                label={cellName(numberOf(id), trans)}
                title={trans.__('Go to the cell')}
                disabled={numberOf(id) === null}
                run={() => goTo(id)}
              />
            </li>
          ))}
        </ul>
      )}
      <Items
        title={trans.__('Run without a cell')}
        items={run.code.map(code => (
          <pre>{code}</pre>
        ))}
      />
      <Items
        title={trans.__('Refused')}
        items={run.refused.map(({ tool, cell, reason }) => (
          <span title={tool}>
            {cell ? `${cellName(numberOf(cell), trans)}: ${reason}` : reason}
          </span>
        ))}
      />
      <Actions {...props} />
      <Permission {...props} />
    </div>
  );
}

function Items(props: {
  title: string;
  items: React.ReactNode[];
}): React.JSX.Element | null {
  const { title, items } = props;
  return items.length ? (
    <>
      <h4>{title}</h4>
      <ul aria-label={title}>
        {items.map((item, index) => (
          <li key={index}>{item}</li>
        ))}
      </ul>
    </>
  ) : null;
}

function Actions(props: IRunProps): React.JSX.Element {
  const { run, runs, commands, numberOf, find, trans } = props;
  const [isBusy, setBusy] = React.useState(false);
  const act = async (action: () => Promise<unknown>) => {
    setBusy(true);
    await action();
    setBusy(false);
  };
  const undo = async () => {
    const preview = await runs.preview(run.run);
    const title = trans.__('Undo “%1” by %2?', run.intent, run.agent.name);
    const choice =
      preview && (await confirmUndo(title, { undo: preview, numberOf, trans }));
    const result = choice && (await runs.undo(run.run));
    if (result && choice === 'run') {
      runs.runCells(changedCells(result));
    }
  };
  const isUndone = run.state === 'undone';
  const canAccept =
    !isUndone &&
    run.proposals.open > 0 &&
    commands.hasCommand(CommandIDs.acceptRun);
  return (
    <div className="jp-AIServer-Agents-actions">
      {canAccept && (
        <Button
          label={trans.__('Accept all of this run')}
          disabled={isBusy}
          run={() =>
            void act(() =>
              commands.execute(CommandIDs.acceptRun, { run: run.run })
            )
          }
        />
      )}
      {run.cells.length > 0 && (
        <Button
          label={trans.__('Find its changes')}
          title={trans.__('Search for what this run has changed or proposed')}
          run={() => find(`run:${run.run.slice(0, RUN_ID_CHARS)}`)}
        />
      )}
      {isUndone && <span>{trans.__('Undone')}</span>}
      {run.canRedo && (
        <Button
          label={trans.__('Redo')}
          title={trans.__('Bring back what the run had changed')}
          disabled={isBusy}
          run={() => void act(() => runs.redo(run.run))}
        />
      )}
      {!isUndone && run.edits + run.proposals.accepted > 0 && (
        <Button
          label={trans.__('Undo run…')}
          title={
            run.state === 'active'
              ? trans.__('The agent is still working.')
              : trans.__('Show what undoing this run would change')
          }
          disabled={isBusy || run.state === 'active'}
          run={() => void act(undo)}
        />
      )}
    </div>
  );
}

/** The choice of what the agent may do in this notebook from now on. */
function Permission(props: IRunProps): React.JSX.Element {
  const { run, runs, trans } = props;
  const { name } = run.agent;
  const level = runs.levelOf(name);
  const id = `jp-AIServer-Agents-${run.run}`;
  return (
    <div className="jp-AIServer-Agents-permission">
      <label htmlFor={id}>{trans.__('%1 may, in this notebook:', name)}</label>
      <select
        id={id}
        value={level}
        aria-describedby={`${id}-sentence`}
        onChange={event =>
          void runs.choose(name, event.target.value as AgentLevel)
        }
      >
        {runs.levels.map(each => (
          <option key={each} value={each}>
            {levelText(each, trans).name}
          </option>
        ))}
      </select>
      <p id={`${id}-sentence`}>{levelText(level, trans).sentence}</p>
    </div>
  );
}
