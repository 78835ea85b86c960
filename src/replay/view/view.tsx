/** The whole sidebar: its tabs, and below them what the model's phase calls for. */
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
  /** Showing who wrote each line in the cell itself; null where that is not to be had. */
  blame?: IToggle | null;
  /** The menu of what it can be exported as; null where that is not to be had. */
  exports?: OpenMenu | null;
}

export interface IToggle {
  readonly isOn: boolean;
  readonly toggle: () => void;
}

export function ReplayView(props: IReplayViewProps): React.JSX.Element {
  const { model } = props;
  const { problem } = model;
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
        {problem && <Problem failure={problem} retry={() => model.refresh()} />}
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
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by) {
          const at = views.indexOf(model.view) + by + views.length;
          const other = views[at % views.length];
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
  if (model.phase === 'steps') {
    return <CellView model={model} copy={copy} />;
  }
  const words = emptyWords(model, trans);
  return (
    words && (
      <Empty
        {...words}
        ask={words.isAsking ? ask : null}
        firstSteps={isFirstLook(model) ? firstSteps : undefined}
      />
    )
  );
}

/** Whether this may be the first time that somebody looks here. */
function isFirstLook(model: ReplayModel): boolean {
  return model.phase === 'notebook' || model.phase === 'history';
}

function emptyWords(
  model: ReplayModel,
  trans: TranslationBundle
): { title: string; text: string; isAsking: boolean } | null {
  switch (model.phase) {
    case 'notebook':
      return {
        title: trans.__('No notebook is open'),
        text: trans.__('Open a notebook to see how its cells were made.'),
        isAsking: false
      };
    case 'history':
      return {
        title: trans.__('This notebook has no history yet'),
        text: trans.__(
          'After your first request, every request and every version of a cell is saved, and you can replay them here.'
        ),
        isAsking: true
      };
    case 'empty':
      return model.activeType !== 'code' && model.isFollowing
        ? {
            title: trans.__('This is a Markdown cell'),
            text: trans.__('Select a code cell to see how it was made.'),
            isAsking: false
          }
        : {
            title: trans.__('This cell has no history yet'),
            text: trans.__(
              'Ask for code in this cell. Each request, answer and change will appear here as a step.'
            ),
            isAsking: true
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

/** The history's own words where an answer's would mislead. */
function problemText(failure: IFailure, trans: TranslationBundle): string {
  return failure.code === 'unknown'
    ? trans.__('The history could not be loaded.')
    : failureText(failure, trans);
}
