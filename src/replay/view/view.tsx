/** The sidebar's content: its tabs, and the view of the selected one. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IFailure } from '../../state/failure';
import type { ReplayModel, ReplayTab } from '../model/replay';
import { failureText } from '../../labels/failureText';
import { blameIcon } from '../../ui/icons';
import { CellView } from './cell/cellView';
import { useReplay } from './context';
import { Empty, IAsk } from './empty';
import { ExportButton, OpenMenu } from './exportMenu';
import { IconButton } from '../../ui/iconButton';
import { NotebookView } from './notebook/notebookView';
import { SearchView } from './searchView';

export interface IReplayViewProps {
  model: ReplayModel;
  ask: IAsk | null;
  /** Open the guided notebook, if there is one. */
  firstSteps?: () => void;
  copy: (text: string) => void;
  /** The toggle of authorship in the cell; null while it is unavailable. */
  blame?: IToggle | null;
  /** Open the export menu; null while exports are unavailable. */
  exports?: OpenMenu | null;
}

export interface IToggle {
  readonly isOn: boolean;
  readonly toggle: () => void;
}

export function ReplayView(props: IReplayViewProps): React.JSX.Element {
  const { model } = props;
  const { failure } = model;
  return (
    <>
      <div className="jp-AIServer-Replay-top">
        <Tabs model={model} />
        {props.blame && <BlameToggle {...props.blame} />}
        {props.exports && <ExportButton open={props.exports} />}
      </div>
      <div
        className="jp-AIServer-Replay-body"
        role="tabpanel"
        id="jp-AIServer-Replay-body"
        aria-labelledby={`jp-AIServer-Replay-${model.view}`}
      >
        {failure && <Problem failure={failure} retry={() => model.refresh()} />}
        {model.view === 'cell' && <CellTab {...props} />}
        {model.view === 'notebook' && <NotebookView {...props} />}
        {model.view === 'search' && (
          <SearchView
            search={model.search}
            onOpen={hit => void model.openHit(hit)}
          />
        )}
      </div>
    </>
  );
}

function Tabs(props: { model: ReplayModel }): React.JSX.Element {
  const { model } = props;
  const { trans } = useReplay();
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
          const other = views[index % views.length];
          event.preventDefault();
          model.view = other;
          document.getElementById(`jp-AIServer-Replay-${other}`)?.focus();
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

function BlameToggle(props: IToggle): React.JSX.Element {
  const { trans } = useReplay();
  return (
    <IconButton
      icon={blameIcon}
      label={trans.__('Show authorship in the cell')}
      className="jp-AIServer-Replay-toggle"
      pressed={props.isOn}
      onClick={props.toggle}
    />
  );
}

function CellTab(props: IReplayViewProps): React.JSX.Element | null {
  const { model, copy, ask, firstSteps } = props;
  const { trans } = useReplay();
  if (model.steps.phase === 'steps') {
    return <CellView model={model} copy={copy} />;
  }
  const content = emptyText(model, trans);
  return (
    content && (
      <Empty
        {...content}
        ask={content.canAsk ? ask : null}
        firstSteps={isFirstLook(model) ? firstSteps : undefined}
      />
    )
  );
}

/** Whether the person may be new here: no notebook is open, or it has no history. */
function isFirstLook(model: ReplayModel): boolean {
  return model.steps.phase === 'notebook' || model.steps.phase === 'history';
}

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
      return model.activeType !== 'code' && model.steps.isFollowing
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

function Problem(props: {
  failure: IFailure;
  retry: () => void;
}): React.JSX.Element {
  const { trans } = useReplay();
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
      <button
        type="button"
        className="jp-AIServer-Replay-button"
        onClick={props.retry}
      >
        {trans.__('Try again')}
      </button>
    </div>
  );
}

/** The text of a failure; the generic one is about the history, not an answer. */
function problemText(failure: IFailure, trans: TranslationBundle): string {
  return failure.code === 'unknown'
    ? trans.__('The history could not be loaded.')
    : failureText(failure, trans);
}
