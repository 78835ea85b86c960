/** Interfaces, tokens and command names that the plugins share. */
import { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import { ISignal } from '@lumino/signaling';
import type { JSX } from 'react';

import type { ApiClient } from './api/client';
import type { CellChange, EventBody, ICellKey, PlacedCell } from './api/types';

export type { ICellKey };

export function isSameCell(a: ICellKey | null, b: ICellKey | null): boolean {
  return a?.cellId === b?.cellId && a?.notebookId === b?.notebookId;
}

/** Events of a cell that are about to be recorded. */
export interface IRecording {
  readonly key: ICellKey;
  readonly events: readonly EventBody[];
}

/** Changes to the cells of a notebook between two moments of its history. */
export interface INotebookChange {
  readonly cells: readonly CellChange[];
  /** All cells in order, if the order or the type of a cell changed. */
  readonly order?: readonly PlacedCell[];
  /** Whether the notebook was saved in this state. */
  readonly saved?: boolean;
  /**
   * Only for a save: returns a change that records these cells and the order as the save wrote them
   * into the file. Called if another page has recorded other sources or another order meanwhile.
   */
  readonly savedState?: (cellIds: readonly string[]) => INotebookChange;
  /**
   * Whether this is the page's first change, with all cells that differ from the recorded state.
   */
  readonly isInitial?: boolean;
}

/** A session that was written to. */
export interface ISessionChange extends ICellKey {
  /** Whether another page of the same shared notebook wrote to it. */
  readonly isRemote?: boolean;
}

/** The API's methods that only read. */
export type HistoryReader = Pick<
  ApiClient,
  | 'replay'
  | 'blame'
  | 'blob'
  | 'timeline'
  | 'moment'
  | 'report'
  | 'search'
  | 'sessions'
  | 'models'
>;

/** Reads and records the histories on the server. */
export interface IHistory {
  /** Emitted after a session was written: by a generation, by `record`, or by another page. */
  readonly changed: ISignal<IHistory, ISessionChange>;

  /** Emit `changed`, so that views fetch the session again. */
  notify(change: ISessionChange): void;

  /** The API's methods that read histories, and the list of models. */
  readonly api: HistoryReader;

  /**
   * Record events of a cell, then emit `changed`. If the server can't record the events now,
   * rejects, and retries to record them in the background.
   */
  record(key: ICellKey, events: EventBody[]): Promise<void>;

  /** Emitted when `record` is called, before the server has written the events. */
  readonly recording: ISignal<IHistory, IRecording>;

  /**
   * Queue a change of a notebook behind all its earlier changes. A change that the server can't
   * record now is retried in the background.
   */
  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void;

  /** Run another request about a notebook behind all its queued changes. */
  enqueue<T>(notebookId: string, work: () => Promise<T>): Promise<T>;

  /** Resolves when each queued change of a notebook has been written or is waiting for a retry. */
  flushed(notebookId: string): Promise<void>;
}

export const IHistory = new Token<IHistory>(
  'aiserver:IHistory',
  'Reads and records the histories on the server.'
);

/**
 * Manages the id under which a notebook's sessions are stored
 * (`metadata.aiserver.notebook_id`).
 */
export interface INotebookIdentity {
  /** The notebook's id; null if it has no id yet, so that none of its cells has a session. */
  get(panel: NotebookPanel): string | null;

  /**
   * Returns the notebook's id, and creates it if there is none. Saves the notebook first if the
   * file contains other ids of the notebook or its cells than a request would name.
   *
   * @throws Error with a message for the person, if the notebook can't be saved.
   */
  ensure(panel: NotebookPanel): Promise<string>;

  /**
   * Resolves when an open notebook has been registered with the server, or the registration has
   * failed. Before that, a copy of a notebook may still have the original's id.
   */
  registered(panel: NotebookPanel): Promise<void>;

  /** Emitted when a notebook's id becomes available or changes. */
  readonly changed: ISignal<INotebookIdentity, NotebookPanel>;
}

export const INotebookIdentity = new Token<INotebookIdentity>(
  'aiserver:INotebookIdentity',
  'Manages the id under which a notebook’s sessions are stored.'
);

/** Records changes to the cells of open notebooks. */
export interface ITracking {
  /** Record unrecorded edits of a notebook before a model is asked. */
  captureBeforeRequest(panel: NotebookPanel): void;

  /**
   * Resolves when each captured change of a notebook has been written or is waiting for a retry.
   */
  flushed(panel: NotebookPanel): Promise<void>;
}

export const ITracking = new Token<ITracking>(
  'aiserver:ITracking',
  'Records changes to the cells of open notebooks.'
);

/** Options of the menu in which a person chooses the model for a cell or for all cells. */
export interface IModelPickOptions {
  /** The menu's position in the window, in pixels. */
  readonly x: number;
  readonly y: number;
  /** The id of the model chosen for this cell only; null if the cell uses the default model. */
  readonly cellModel: string | null;
  readonly chooseForCell: (id: string | null) => void;
}

/**
 * Lets a person choose, connect and install models. Without this plugin, a prompt row only shows
 * the name of its model.
 */
export interface IModels {
  /** Emitted when the list of models or the chosen model changes. */
  readonly changed: ISignal<IModels, void>;

  /** Open the menu in which a person chooses the model. */
  pick(options: IModelPickOptions): void;

  /** Open the form of a provider; resolves to true if one of its models was chosen there. */
  connect(provider?: string): Promise<boolean>;

  /**
   * Render the part of a prompt row that helps to set up a model while none is ready.
   *
   * `focusInput` focuses the row's text field, because the pressed button disappears. `attempts`
   * is the number of requests that could not be sent because no model is ready: whenever it grows,
   * the offer takes the focus and shows the reason.
   */
  renderOffer(options: {
    focusInput: () => void;
    attempts: number;
  }): JSX.Element;
}

export const IModels = new Token<IModels>(
  'aiserver:IModels',
  'Chooses, connects and installs models.'
);

/** The ids of the commands. */
export namespace CommandIDs {
  /** Open the prompt row of the active cell. */
  export const ask = 'aiserver:ask-cell';
  /** Open the prompt row with the DataFrame picker. */
  export const askDataFrame = 'aiserver:ask-dataframe';
  /** Ask for a fix of the error below the active cell. */
  export const fix = 'aiserver:fix-error';
  export const accept = 'aiserver:accept-suggestion';
  export const reject = 'aiserver:reject-suggestion';
  export const stop = 'aiserver:stop-generation';
  /** Preview the messages that a request would send to the model. */
  export const preview = 'aiserver:preview-request';
  /** Stop sending the cell's past turns to the model. */
  export const reset = 'aiserver:reset-context';
  /** Show the sidebar. */
  export const showReplay = 'aiserver:show-replay';
  /** Show one step of a cell in the sidebar: `{cellId, step?, seq?}`. */
  export const showStep = 'aiserver:show-step';
  /** Show the search in the sidebar. */
  export const search = 'aiserver:search-replay';
  /** Restore the step that the sidebar shows. */
  export const restore = 'aiserver:restore-step';
  /** Restore the last version that ran without an error. */
  export const restoreClean = 'aiserver:restore-clean';
  /** Show or hide the contributor of each line of the active cell. */
  export const blame = 'aiserver:toggle-blame';
  /** Show the step that wrote the line with the cursor. */
  export const showLine = 'aiserver:show-line-step';
  /** Download the notebook's replay as one file; `format` is html, md or ipynb. */
  export const exportReplay = 'aiserver:export-replay';
  /** Open the form in which a provider is connected. */
  export const connect = 'aiserver:connect-provider';
  /** Open the settings of the models. */
  export const modelSettings = 'aiserver:open-model-settings';
  /** Open a new copy of the first-steps notebook, a tutorial. */
  export const firstSteps = 'aiserver:open-first-steps';
}
