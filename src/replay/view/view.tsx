/** The sidebar's content: its tabs, and the view of the selected tab. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IFailure } from '../../state/failure';
import { CommandIDs } from '../../tokens';
import type { ReplayModel, ReplayTab } from '../model/replay';
import { failureText } from '../../labels/failureText';
import { blameIcon } from '../../ui/icons';
import { CellView } from './cell/cellView';
import { TextButton } from './buttons';
import { useReplay } from './context';
import { Empty } from './empty';
import { ExportButton } from './exportMenu';
import { IconButton } from '../../ui/iconButton';
import { NotebookView } from './notebook/notebookView';
import { SearchView } from './searchView';

export function ReplayView(): React.JSX.Element {
  const { model } = useReplay();
  const { failure, view } = model;
  return (
    <>
      <div className="jp-AIServer-Replay-top">
        <Tabs />
        <BlameToggle />
        <ExportButton />
      </div>
      <div
        className="jp-AIServer-Replay-body"
        role="tabpanel"
        id="jp-AIServer-Replay-body"
        aria-labelledby={`jp-AIServer-Replay-${view}`}
      >
        {failure && <Problem failure={failure} />}
        {view === 'cell' && <CellTab />}
        {view === 'notebook' && <NotebookView />}
        {view === 'search' && <SearchView />}
      </div>
    </>
  );
}

function Tabs(): React.JSX.Element {
  const { model, trans } = useReplay();
  const names = {
    cell: trans.__('Cell'),
    notebook: trans.__('Notebook'),
    search: trans.__('Search')
  };
  const views = Object.keys(names) as ReplayTab[];
  return (
    <div
      className="jp-AIServer-Replay-tabs"
      role="tablist"
      aria-label={trans.__('Replay')}
      onKeyDown={event => {
        const offset = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (offset) {
          const index = views.indexOf(model.view) + offset + views.length;
          const nextView = views[index % views.length];
          event.preventDefault();
          model.view = nextView;
          document.getElementById(`jp-AIServer-Replay-${nextView}`)?.focus();
        }
      }}
    >
      {views.map(view => (
        <button
          key={view}
          type="button"
          role="tab"
          id={`jp-AIServer-Replay-${view}`}
          aria-selected={view === model.view}
          aria-controls="jp-AIServer-Replay-body"
          tabIndex={view === model.view ? 0 : -1}
          onClick={() => {
            model.view = view;
          }}
        >
          {names[view]}
        </button>
      ))}
    </div>
  );
}

function BlameToggle(): React.JSX.Element | null {
  const { commands, trans } = useReplay();
  return commands.isEnabled(CommandIDs.blame) ? (
    <IconButton
      icon={blameIcon}
      label={trans.__('Show authorship in the cell')}
      className="jp-AIServer-Replay-toggle"
      pressed={commands.isToggled(CommandIDs.blame)}
      onClick={() => void commands.execute(CommandIDs.blame)}
    />
  ) : null;
}

function CellTab(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  const { phase } = model.steps;
  if (phase === 'steps') {
    return <CellView />;
  }
  const content = emptyText(model, trans);
  // Without an open notebook, or without a history in it, the person may be new to AI Server.
  const isFirstLook = phase === 'notebook' || phase === 'history';
  return content && <Empty {...content} isFirstLook={isFirstLook} />;
}

/** Return the text that is shown if the cell has no steps; null while they are loading. */
function emptyText(
  model: ReplayModel,
  trans: TranslationBundle
): { title: string; text: string; canAsk: boolean } | null {
  switch (model.steps.phase) {
    case 'notebook':
      return {
        title: trans.__('No notebook is open'),
        text: trans.__('Open a notebook to see how its cells were made.'),
        canAsk: false
      };
    case 'history':
      return {
        title: trans.__('This notebook has no history yet'),
        text: trans.__(
          'After your first request, every request and every version of a cell is saved, and you can replay them here.'
        ),
        canAsk: true
      };
    case 'empty':
      return model.subject.cell?.type !== 'code' && model.steps.isFollowing
        ? {
            title: trans.__('This is a Markdown cell'),
            text: trans.__('Select a code cell to see how it was made.'),
            canAsk: false
          }
        : {
            title: trans.__('This cell has no history yet'),
            text: trans.__(
              'Ask for code in this cell. Each request, answer and change will appear here as a step.'
            ),
            canAsk: true
          };
    default:
      return null;
  }
}

function Problem(props: { failure: IFailure }): React.JSX.Element {
  const { model, trans } = useReplay();
  const { failure } = props;
  return (
    <div className="jp-AIServer-Replay-failure" role="alert">
      <span>{problemText(failure, trans)}</span>
      {failure.signIn && (
        <a
          className="jp-AIServer-Replay-button"
          href={failure.signIn}
          target="_blank"
          rel="noopener"
        >
          {trans.__('Sign in')}
        </a>
      )}
      <TextButton onClick={() => model.refresh()}>
        {trans.__('Try again')}
      </TextButton>
    </div>
  );
}

/** Return the text of a failure. An unknown failure is described as one of loading the history. */
function problemText(failure: IFailure, trans: TranslationBundle): string {
  return failure.code === 'unknown'
    ? trans.__('The history could not be loaded.')
    : failureText(failure, trans);
}
