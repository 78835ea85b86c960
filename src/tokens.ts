/**
 * What the plugins share. Interfaces only: the classes live in `models/` and `notebook/`.
 */
import { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import { ISignal } from '@lumino/signaling';
import type { JSX } from 'react';

import type {
  Blame,
  BlameBody,
  CellChange,
  EventBody,
  ISearchAsk,
  ModelList,
  NotebookSnapshot,
  PlacedCell,
  Replay,
  Report,
  SearchResults,
  SessionSummary,
  Timeline
} from './api/types';

/** Names one cell's session. */
export interface ICellKey {
  notebookId: string;
  cellId: string;
}

/** Something that a person did with a cell was told, and is recorded or will be. */
export interface IRecorded {
  readonly key: ICellKey;
  readonly events: readonly EventBody[];
}

/** What happened to the cells of a notebook between two moments of it. */
export interface IChange {
  readonly cells: readonly CellChange[];
  /** All cells, where their order or the type of one changed. */
  readonly order?: readonly PlacedCell[];
  /** In this state the notebook was saved. */
  readonly saved?: boolean;
  /**
   * Of a save: what it wrote into the file of these cells and of the order. Asked for where another
   * page recorded something else meanwhile.
   */
  readonly written?: (cellIds: readonly string[]) => IChange;
  /** All that the notebook holds was compared with the record. */
  readonly isFirst?: boolean;
}

/** A session that was written into. */
export interface IWritten extends ICellKey {
  /** Whether another page did it, in the same shared notebook. */
  readonly byOthers?: boolean;
}

/**
 * What the server has kept of cells: asked for when needed, told to all who look.
 */
export interface IHistory {
  /** A session was written: by a generation, by `record`, or by another page. */
  readonly changed: ISignal<IHistory, IWritten>;

  /** Say that a session was written, so that views fetch it anew. */
  notify(written: IWritten): void;

  /** The steps of a cell; none if nothing is kept of it. */
  replay(key: ICellKey, signal?: AbortSignal): Promise<Replay>;

  /** What happened in all cells of a notebook, in one order. */
  timeline(notebookId: string, signal?: AbortSignal): Promise<Timeline>;

  /** The notebook as it was after a moment of the timeline of that version. */
  moment(
    notebookId: string,
    index: number,
    version?: string,
    signal?: AbortSignal
  ): Promise<NotebookSnapshot>;

  /** How many lines of the notebook the model wrote, and how many a person. */
  report(notebookId: string): Promise<Report>;

  /** The turns that fit some words, of one notebook or of all. */
  search(ask: ISearchAsk, signal?: AbortSignal): Promise<SearchResults>;
  /** Who wrote each line of a cell. */
  blame(key: ICellKey, body: BlameBody, signal?: AbortSignal): Promise<Blame>;

  /** A picture of an output, by the name that a run kept of it. */
  blob(sha256: string, signal?: AbortSignal): Promise<Blob>;

  /** A summary for each cell of a notebook that has a session, deleted cells included. */
  summaries(notebookId: string): Promise<SessionSummary[]>;

  /**
   * Record what a person did, and tell all who look. Where that can't be done for now it
   * rejects, keeps what was done, and records it as soon as it can.
   */
  record(key: ICellKey, events: EventBody[]): Promise<void>;

  /** What `record` was told, before the server has written it. */
  readonly told: ISignal<IHistory, IRecorded>;

  /**
   * Record what happened to the cells of a notebook, behind all that was told of it before. What
   * can't be written for now is kept, and written as soon as it can be.
   */
  change(notebookId: string, change: IChange | Promise<IChange>): void;

  /** Do what else the server is told of a notebook, behind all that was told of it before. */
  behind<T>(notebookId: string, work: () => Promise<T>): Promise<T>;

  /** Resolves when all that was told of a notebook is written, or kept until it can be. */
  settled(notebookId: string): Promise<void>;

  /** The models that can be used. */
  models(): Promise<ModelList>;
}

export const IHistory = new Token<IHistory>(
  'aiserver:IHistory',
  'What the server has kept of cells.'
);

/**
 * Gives notebooks the id under which their cells' sessions are kept
 * (`metadata.aiserver.notebook_id`).
 */
export interface INotebookIdentity {
  /** The id that the notebook carries, or null: then no cell of it has a session. */
  get(panel: NotebookPanel): string | null;

  /**
   * The id, made if there is none. When it returns, the notebook is saved with it, so that
   * the ids on disk are those a request names.
   *
   * @throws Error with a sentence for the person, if the notebook can't be saved.
   */
  ensure(panel: NotebookPanel): Promise<string>;

  /**
   * Resolves when the server has been told where an open notebook is, or could not be: before
   * that its id may be that of the notebook which it is a copy of.
   */
  settled(panel: NotebookPanel): Promise<void>;

  /** A notebook's id became known, or changed. */
  readonly changed: ISignal<INotebookIdentity, NotebookPanel>;
}

export const INotebookIdentity = new Token<INotebookIdentity>(
  'aiserver:INotebookIdentity',
  'Gives notebooks the id under which their sessions are kept.'
);

/** Notes what happens to the cells of the open notebooks. */
export interface ITracking {
  /** Note what was written by hand in a notebook, for a model is about to be asked. */
  beforeRequest(panel: NotebookPanel): void;

  /** Resolves when all that was noted of a notebook is kept, or will be as soon as it can. */
  settled(panel: NotebookPanel): Promise<void>;
}

export const ITracking = new Token<ITracking>(
  'aiserver:ITracking',
  'Notes what happens to the cells of the open notebooks.'
);

/** What a prompt row needs for its model's menu. */
export interface IModelPick {
  /** Where the menu opens, in the window. */
  readonly x: number;
  readonly y: number;
  /** The model chosen for this cell alone; null if the cell goes with all others. */
  readonly cellModel: string | null;
  readonly chooseForCell: (id: string | null) => void;
}

/**
 * Choosing, connecting and installing models. Without it (the plugin can be switched off) a
 * prompt row names its model and offers nothing.
 */
export interface IModels {
  /** The models or the one that answers changed: whoever names one looks again. */
  readonly changed: ISignal<IModels, void>;

  /** Open the menu in which a person chooses the model. */
  pick(options: IModelPick): void;

  /** Open the form of a provider; true when one of its models was chosen there. */
  connect(provider?: string): Promise<boolean>;

  /**
   * What a prompt row shows where nothing can answer yet. `toField` puts the cursor into the
   * row's text field: what was pressed is gone then. `asked` counts how often a person tried to
   * ask all the same: whenever it rises the offer takes the focus and says why.
   */
  offer(options: { toField: () => void; asked: number }): JSX.Element;
}

export const IModels = new Token<IModels>(
  'aiserver:IModels',
  'Choosing, connecting and installing models.'
);

/** The commands, by name. */
export namespace CommandIDs {
  /** Open the prompt row of the active cell. */
  export const ask = 'aiserver:ask-cell';
  /** Open the prompt row with the DataFrame picker. */
  export const askDataFrame = 'aiserver:ask-dataframe';
  /** Ask for a change that mends the error below the active cell. */
  export const fix = 'aiserver:fix-error';
  export const accept = 'aiserver:accept-suggestion';
  export const reject = 'aiserver:reject-suggestion';
  export const stop = 'aiserver:stop-generation';
  /** Show what would be sent to the model. */
  export const preview = 'aiserver:preview-request';
  /** Start afresh: past turns are no longer told to the model. */
  export const reset = 'aiserver:reset-context';
  /** Show the sidebar. */
  export const showReplay = 'aiserver:show-replay';
  /** Show one step of a cell in the sidebar: `{cellId, step?, seq?}`. */
  export const showStep = 'aiserver:show-step';
  /** Show the search in the sidebar. */
  export const search = 'aiserver:search-replay';
  /** Put the step that the sidebar shows back into the cell. */
  export const restore = 'aiserver:restore-step';
  /** Put the last version that ran without an error back into the cell. */
  export const restoreClean = 'aiserver:restore-clean';
  /** Show who wrote each line of the active cell, or no longer. */
  export const blame = 'aiserver:toggle-blame';
  /** Show the step that wrote the line with the cursor. */
  export const showLine = 'aiserver:show-line-step';
  /** Download the notebook's replay as one file; `format` is html, md or ipynb. */
  export const exportReplay = 'aiserver:export-replay';
  /** Open the form in which a provider is connected. */
  export const connect = 'aiserver:connect-provider';
  /** Open the settings of the models. */
  export const modelSettings = 'aiserver:open-model-settings';
  /** Open a new copy of the guided notebook. */
  export const firstSteps = 'aiserver:open-first-steps';
}
