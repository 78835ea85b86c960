/**
 * The view of one step. Invariant: text by models and people is shown as plain text. Only
 * explanations are rendered as Markdown, which loads and runs nothing.
 */
import { checkIcon, fileIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Step } from '../../../api/types';
import { countLineChanges, ILineCount } from '../../../diff/changedLines';
import { cellName } from '../../../labels/cellNames';
import { slashWordOf } from '../../../labels/modeLabels';
import { linesText, selectedLines } from '../../../labels/requestTitle';
import {
  baseCode,
  changeTitles,
  errorText,
  isAnswerInWords,
  runOutcome,
  stepAuthor,
  stepOutcome,
  stepTitle
} from '../../../labels/stepLabels';
import { showTime } from '../../../labels/time';
import { CheckedText, handedIn } from '../../../prompt/checkedText';
import {
  schemaChangeParts,
  schemaChangeTitle
} from '../../../prompt/schemaChangeText';
import type { IShownStep } from '../../../records/fold';
import { lastRunOf } from '../../../records/runs';
import { contributorIcon } from '../../../ui/contributorIcon';
import {
  describeCells,
  isBranching,
  parentOf,
  relativesOf
} from '../../model/cell/graph';
import { Chip, LinkButton, When } from '../buttons';
import { useReplay } from '../context';
import { useLoaded, usePrompt } from '../loaded';
import { ReceiptLine } from '../receipt/receipt';
import { Output } from './output';
import { type IStepCodeProps, StepCode } from './diffEditor';

interface IStepViewProps extends Pick<
  IStepCodeProps,
  'isSplit' | 'transitionMs' | 'mimeType'
> {
  step: IShownStep;
  position: number;
}

export function StepView(props: IStepViewProps): React.JSX.Element {
  const { step, position } = props;
  const { trans } = useReplay();
  // If the step has no such run, its last one is shown.
  const [chosenSeq, chooseRun] = React.useState<number | null>(null);
  const run =
    step.runs?.find(({ seq }) => seq === chosenSeq) ?? lastRunOf(step);
  const isTurn = step.kind === 'turn';
  const error = errorText(step, trans) ?? run?.error;
  return (
    <section
      className={`jp-AIServer-Replay-step jp-mod-${step.author}`}
      aria-label={trans.__('Step %1', position + 1)}
    >
      <StepHead {...props} run={run} chooseRun={chooseRun} />
      {isTurn && <h3>{trans.__('Request')}</h3>}
      <LongText
        key={step.index}
        className="jp-AIServer-Replay-request"
        text={step.title.trim() || stepTitle(step, trans)}
      />
      <SchemaChanges step={step} />
      <Relatives step={step} />
      {error && <p className="jp-AIServer-Replay-problem">{error}</p>}
      {isTurn && <AnswerHead step={step} />}
      {changeTitles(step, trans).map(title => (
        <p key={title} className="jp-AIServer-Replay-change">
          {title}
        </p>
      ))}
      <ShownCode {...props} />
      {step.explanation && <Explanation step={step} />}
      {isTurn && <ReceiptLine step={step} />}
      {run && <Output run={run} />}
    </section>
  );
}

function AnswerHead(props: { step: IShownStep }): React.JSX.Element | null {
  const { step } = props;
  const { trans } = useReplay();
  return step.code || step.explanation || step.attempts ? (
    <>
      <h3>{trans.__('Answer')}</h3>
      <AttemptMenu step={step} />
    </>
  ) : null;
}

function ShownCode(props: IStepViewProps): React.JSX.Element | null {
  const { step, position, mimeType, isSplit, transitionMs } = props;
  const { trans } = useReplay();
  const before = baseCode(step);
  const hasCode = step.code || (step.kind !== 'turn' && step.before);
  return hasCode && !isAnswerInWords(step) ? (
    <StepCode
      {...{ before, mimeType, isSplit, transitionMs }}
      code={step.code}
      label={
        before && before !== step.code
          ? trans.__('Code of step %1, shown as changes', position + 1)
          : trans.__('Code of step %1', position + 1)
      }
      labelBefore={trans.__('Code before step %1', position + 1)}
    />
  ) : null;
}

function SchemaChanges(props: { step: Step }): React.JSX.Element[] {
  const { trans } = useReplay();
  return (props.step.schemaChanges ?? []).map(change => (
    <div
      key={change.name}
      className="jp-AIServer-Replay-dataChange"
      role="note"
    >
      {schemaChangeTitle(change, trans)}
      <ul>
        {schemaChangeParts(change, trans).map(({ tag: Tag, text }) => (
          <li key={text}>
            <Tag>{text}</Tag>
          </li>
        ))}
      </ul>
    </div>
  ));
}

function StepHead(
  props: IStepViewProps & {
    run: Step | null;
    chooseRun: (seq: number) => void;
  }
): React.JSX.Element {
  const { step, run, chooseRun } = props;
  const { model, trans } = useReplay();
  const author = stepAuthor(step, model.modelInfo(step.model), trans);
  const Icon = contributorIcon(step) ?? fileIcon;
  return (
    <header className="jp-AIServer-Replay-stepHead">
      <span
        className={`jp-AIServer-Replay-author jp-mod-${step.author}`}
        title={[step.model, author.location].filter(Boolean).join(' · ')}
      >
        <Icon.react tag="span" />
        <span className="jp-AIServer-Replay-name">{author.name}</span>
      </span>
      <span className="jp-AIServer-Replay-when">
        <When time={step.timestamp} />
        {author.location && (
          <span className="jp-AIServer-Replay-place"> · {author.location}</span>
        )}
        {isBranching(step) && (
          <span>
            {' '}
            · {trans.__('continues from step %1', parentOf(step)! + 1)}
          </span>
        )}
      </span>
      <span className="jp-AIServer-Replay-result">
        <LineCount
          count={countStepChanges(step)}
          showsNoChangesLabel={
            step.kind === 'turn' && !!step.code && !isAnswerInWords(step)
          }
        />
        <StepChips step={step} />
        {run && (
          <>
            <RunChip run={run} />
            <RunMenu runs={step.runs ?? []} run={run} chooseRun={chooseRun} />
          </>
        )}
      </span>
    </header>
  );
}

function StepChips({ step }: { step: IShownStep }): React.JSX.Element {
  const { trans } = useReplay();
  const chip = step.kind === 'run' ? null : stepOutcome(step, trans);
  const slashWord = slashWordOf(step.mode, step.title, trans);
  const lines = selectedLines(step.data);
  return (
    <>
      {lines && <Chip tone="quiet">{linesText(lines, trans)}</Chip>}
      {slashWord && (
        <Chip tone="quiet" title={trans.__('Kind of request')}>
          {slashWord}
        </Chip>
      )}
      {chip && <Chip tone={chip.tone}>{chip.text}</Chip>}
    </>
  );
}

export function RunChip(props: { run: Step }): React.JSX.Element {
  const { trans } = useReplay();
  const { text, tone } = runOutcome(props.run, trans);
  return (
    <Chip tone={tone} title={trans.__('Result of running this version')}>
      {tone === 'good' && <checkIcon.react tag="span" />}
      {text}
    </Chip>
  );
}

export function LineCount(props: {
  count: ILineCount;
  showsNoChangesLabel: boolean;
}): React.JSX.Element | null {
  const { trans } = useReplay();
  const { added, removed } = props.count;
  if (!added && !removed) {
    return props.showsNoChangesLabel ? (
      <span className="jp-AIServer-Replay-same">{trans.__('no changes')}</span>
    ) : null;
  }
  const label = trans.__('Lines added: %1, removed: %2', added, removed);
  return (
    <span
      className="jp-AIServer-Replay-lines"
      role="img"
      aria-label={label}
      title={label}
    >
      {added > 0 && <ins>+{added}</ins>}
      {removed > 0 && <del>−{removed}</del>}
    </span>
  );
}

function LongText(props: {
  text: string;
  className: string;
}): React.JSX.Element {
  const { text, className } = props;
  const { trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  const isLong = text.length > 280 || text.split('\n').length > 6;
  return (
    <div className={className}>
      <p className={isLong && !isOpen ? 'jp-mod-folded' : undefined}>{text}</p>
      {isLong && (
        <LinkButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? trans.__('Show less') : trans.__('Show all')}
        </LinkButton>
      )}
    </div>
  );
}

function Explanation(props: { step: Step }): React.JSX.Element {
  const { step } = props;
  const { trans } = useReplay();
  const { messages, isLoading } = useHandedMessages(step);
  return (
    <div className="jp-AIServer-Replay-explanation">
      <CheckedText
        text={step.explanation ?? ''}
        handed={messages && handedIn(messages)}
        trans={trans}
      />
      {step.receipt?.handsOutput && !messages && !isLoading && (
        <p className="jp-AIServer-Markdown-hint">
          {trans.__(
            'The numbers weren’t compared with the output, because what the model got isn’t available.'
          )}
        </p>
      )}
    </div>
  );
}

/** Load the messages of a turn with an output; null until they are loaded, or without them. */
function useHandedMessages({ receipt, turnId }: Step) {
  const { model } = useReplay();
  const { handsOutput, hasPrompt } = receipt ?? {};
  const id = (handsOutput && hasPrompt && turnId) || null;
  const { value, failure } = usePrompt(model.steps.shownCell, id);
  const messages = value?.turnId === id ? value?.messages : null;
  return {
    messages: messages ?? null,
    isLoading: id !== null && !value && !failure
  };
}

function Relatives(props: { step: Step }): React.JSX.Element | null {
  const { step } = props;
  const { model, trans } = useReplay();
  const ids = React.useMemo(() => relativesOf(step), [step]);
  const load = React.useCallback(
    () => (ids.length ? describeCells(model, ids) : undefined),
    [ids, model]
  );
  const { value: relatives } = useLoaded(load);
  if (!ids.length) {
    return null;
  }
  return (
    <ul
      className="jp-AIServer-Replay-relatives"
      aria-label={stepTitle(step, trans)}
    >
      {ids.map(cellId => {
        // Until the relatives are loaded, only their ids are known.
        const relative = relatives?.find(loaded => loaded.cellId === cellId);
        return (
          <li key={cellId}>
            <LinkButton
              title={trans.__('Show the history of this cell')}
              onClick={() => void model.goTo(cellId)}
            >
              <span>
                {relative
                  ? cellName(relative.cell?.number ?? null, trans)
                  : '…'}
              </span>
              <code>{relative?.firstLine}</code>
            </LinkButton>
          </li>
        );
      })}
    </ul>
  );
}

function ChoiceMenu(props: {
  label: string;
  options: readonly (readonly [id: number, ...texts: string[]])[];
  chosen: number | undefined;
  choose: (id: number) => void;
}): React.JSX.Element | null {
  const { label, options, chosen, choose } = props;
  const { trans } = useReplay();
  return options.length < 2 ? null : (
    <select
      className="jp-AIServer-Replay-choices"
      aria-label={label}
      title={label}
      value={chosen}
      onChange={event => choose(Number(event.target.value))}
    >
      {options.map(([id, ...texts], index) => (
        <option key={id} value={id}>
          {[trans.__('%1 of %2', index + 1, options.length), ...texts].join(
            ' · '
          )}
        </option>
      ))}
    </select>
  );
}

function RunMenu(props: {
  runs: readonly Step[];
  run: Step;
  chooseRun: (seq: number) => void;
}): React.JSX.Element {
  const { locale, now, trans } = useReplay();
  const timeText = ({ timestamp }: Step) => {
    const { short, clock } = showTime(timestamp, now, locale);
    return short === clock ? clock : `${short} ${clock}`.trim();
  };
  return (
    <ChoiceMenu
      label={trans.__('Runs of this version')}
      options={props.runs.map(
        run => [run.seq, timeText(run), runOutcome(run, trans).text] as const
      )}
      chosen={props.run.seq}
      choose={props.chooseRun}
    />
  );
}

function AttemptMenu(props: { step: IShownStep }): React.JSX.Element {
  const { step } = props;
  const { model: replay, trans } = useReplay();
  const outcomes: Record<string, string> = {
    error: trans.__('failed'),
    cancelled: trans.__('stopped')
  };
  return (
    <ChoiceMenu
      label={trans.__('Answers to this request')}
      options={(step.attempts ?? []).map(({ turnId = 0, model, outcome }) => {
        const info = replay.modelInfo(model);
        const { name } = stepAuthor({ ...step, model }, info, trans);
        const text = outcomes[outcome];
        return [turnId, name, ...(text ? [text] : [])] as const;
      })}
      chosen={step.turnId}
      choose={turnId => replay.steps.showAttempt(step, turnId)}
    />
  );
}

/** Return the numbers of lines that a step added and removed; a failed one without code, none. */
export function countStepChanges(step: Step): ILineCount {
  const hasFailed = step.outcome === 'error' || step.outcome === 'cancelled';
  return hasFailed && !step.code
    ? { added: 0, removed: 0 }
    : countLineChanges(baseCode(step), step.code);
}
