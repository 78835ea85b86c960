/** Interfaces, tokens and command names that the plugins share. */
import { NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import { ISignal } from '@lumino/signaling';
import type { JSX } from 'react';

import type { ApiClient } from './api/client';
import type {
  CellChange,
  ContributorBody,
  ErrorBody,
  EventBody,
  ICellKey,
  Interaction,
  LineRange,
  MemoryEntry,
  MemorySource,
  ModelInfo,
  PlacedCell
} from './api/types';

export type { ICellKey };

export function isSameCell(a: ICellKey | null, b: ICellKey | null): boolean {
  return a?.cellId === b?.cellId && a?.notebookId === b?.notebookId;
}

/** Events of a cell that are about to be recorded. */
export interface IQueuedEvents {
  readonly key: ICellKey;
  readonly events: readonly EventBody[];
}

/** Changes to the cells of a notebook, which are recorded together. */
export interface INotebookChange {
  readonly cells: readonly CellChange[];
  /** All cells in their new order; undefined if the order and the types of cells are unchanged. */
  readonly order?: readonly PlacedCell[];
  /** Whether the notebook was saved after these changes. */
  readonly saved?: boolean;
  /**
   * Return a change that records what the save wrote into the file: the sources of the given cells,
   * and the order of all cells. Only a change with `saved` has this function. The function is
   * called if another page has recorded changes in the meantime: since this page last recorded a
   * save, or since the watch began if this page has recorded no save yet.
   */
  readonly savedState?: (cellIds: readonly string[]) => INotebookChange;
  /**
   * Whether this is the first change of a watch. Such a change contains all cells that differ from
   * what the server has recorded.
   */
  readonly isInitial?: boolean;
}

/** Identifies a session that has changed. */
export interface ISessionChange extends ICellKey {
  /** Whether another page, which has the same shared notebook open, wrote the session. */
  readonly isRemote?: boolean;
}

/** The methods of `ApiClient` that only read. */
export type HistoryReader = Pick<
  ApiClient,
  | 'replay'
  | 'blame'
  | 'blob'
  | 'timeline'
  | 'moment'
  | 'report'
  | 'turnPrompt'
  | 'usage'
  | 'search'
  | 'sessions'
  | 'models'
>;

/** Reads and records the histories on the server. */
export interface IHistory {
  /** Emitted after a session was written, by this page or by another page. */
  readonly changed: ISignal<IHistory, ISessionChange>;

  /** Emit `changed`, so that views fetch the session again. */
  notify(change: ISessionChange): void;

  /** The methods of `ApiClient` that read histories or the list of models. */
  readonly api: HistoryReader;

  /**
   * Record events of a cell, then emit `changed`. If the server can't record the events now, reject
   * the returned promise, and repeat the attempt in the background.
   */
  record(key: ICellKey, events: EventBody[]): Promise<void>;

  /** Emitted by `record` before the server has written the events. */
  readonly eventsQueued: ISignal<IHistory, IQueuedEvents>;

  /**
   * Record a change of a notebook, after the notebook's changes that are already queued. If the
   * server can't record the change now, repeat the attempt in the background.
   */
  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void;

  /**
   * Run `work`, which sends a request. First wait until each queued change of the notebook has been
   * sent or is waiting for a retry.
   */
  enqueue<T>(notebookId: string, work: () => Promise<T>): Promise<T>;

  /** Wait until each queued change of a notebook has been written or is waiting for a retry. */
  settled(notebookId: string): Promise<void>;
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
  /** Return the notebook's id. If it is null, none of the notebook's cells has a session yet. */
  get(panel: NotebookPanel): string | null;

  /**
   * Return the notebook's id. If the notebook has none, create it. If the ids of the notebook and
   * its cells in the file may differ from those in the page, save the notebook first.
   *
   * @throws Error with a message for the person, if the notebook can't be saved.
   */
  ensure(panel: NotebookPanel): Promise<string>;

  /**
   * Wait until an open notebook has been registered with the server, or the registration has
   * failed. Until a copy of a notebook is registered, it may have the original's id.
   */
  registered(panel: NotebookPanel): Promise<void>;

  /** Emitted when a notebook's id becomes available or changes. */
  readonly changed: ISignal<INotebookIdentity, NotebookPanel>;
}

export const INotebookIdentity = new Token<INotebookIdentity>(
  'aiserver:INotebookIdentity',
  'Manages the id under which a notebook’s sessions are stored.'
);

/** Cells that were deleted from an open notebook with a history; cells that were merged aren't. */
export interface ICellDeletion {
  readonly panel: NotebookPanel;
  /** All cells before the deletion, in order. */
  readonly before: readonly { readonly id: string; readonly source: string }[];
  /** The deleted cells by id, in the notebook format. */
  readonly deleted: ReadonlyMap<string, object>;
  /** Resolves to who deleted them. */
  readonly contributor: Promise<ContributorBody>;
}

/** Records changes to the cells of open notebooks. */
export interface ITracking {
  /** Emitted in the task that deletes cells, unless another page records the deletion. */
  readonly cellsDeleted: ISignal<ITracking, ICellDeletion>;

  /** Return whether the changes of a notebook are recorded now. */
  isTracked(panel: NotebookPanel): boolean;

  /** Queue the unrecorded edits of a notebook for recording. Call this before asking a model. */
  captureBeforeRequest(panel: NotebookPanel): void;

  /**
   * Run a function that makes an agent's write into these cells, as an own write (`ownWrites.ts`),
   * and record it, even if the notebook has no history yet or tracking is off. Resolves to what the
   * function returns; to null if it was not called, because the history can't be read now.
   */
  recordWrite<T>(
    panel: NotebookPanel,
    cellIds: readonly string[],
    write: () => T
  ): Promise<T | null>;

  /** Like `settled` of `IHistory`, but also wait until the notebook's watch has started. */
  settled(panel: NotebookPanel): Promise<void>;
}

export const ITracking = new Token<ITracking>(
  'aiserver:ITracking',
  'Records changes to the cells of open notebooks.'
);

/** Options of the menu in which a person chooses the default model or a model for one cell. */
export interface IModelPickOptions {
  /** The menu's position in the window, in pixels. */
  readonly x: number;
  readonly y: number;
  /** The id of the model that was chosen for the cell; null if it uses the default model. */
  readonly cellModel: string | null;
  /** Choose the model for this cell only; null selects the default model. */
  readonly chooseForCell: (id: string | null) => void;
  /** Ask a model for an answer to the open request, too; undefined if no suggestion is open. */
  readonly askAnother?: (id: string) => void;
}

/** Options of the menu in which a person chooses a model for one purpose. */
export interface IOtherModelOptions {
  /** The menu's position in the window, in pixels. */
  readonly x: number;
  readonly y: number;
  /** The id of the model that is chosen now; null if there is none. */
  readonly chosen: string | null;
  readonly choose: (model: ModelInfo) => void;
}

/**
 * Lets a person choose, connect and install models. If the plugin that provides this token is
 * disabled, a prompt row shows the name of its model without a menu.
 */
export interface IModels {
  /** Emitted whenever the page has fetched, or failed to fetch, the list of models. */
  readonly changed: ISignal<IModels, void>;

  /** Open the menu in which a person chooses a model. */
  pick(options: IModelPickOptions): void;

  /** Open the menu in which a person chooses a model for one purpose; the default model stays. */
  pickOther(options: IOtherModelOptions): void;
  /** Open the form of a provider; resolves to true if one of its models was chosen there. */
  connect(provider?: string): Promise<boolean>;

  /**
   * Render the part of a prompt row that helps to set up a model while no model is ready.
   *
   * `focusInput` focuses the row's text field. It is called when a focused button disappears.
   * `attempts` is the number of requests that could not be sent because no model is ready. Whenever
   * `attempts` grows, a message states that the request was not sent.
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

/** A request of a cell's history that is asked again. */
export interface IRepeatedRequest {
  readonly intent: string;
  readonly source: string;
  /** The mode of the original turn, such as `fix`; empty if none is stored. */
  readonly mode: string;
  /** The lines of `source` that may change; null if all of them may. */
  readonly selection: LineRange | null;
  readonly model: ModelInfo;
  /** The id of the original turn. */
  readonly repeatsTurnId: number;
  /** The id of the turn that the request continues from; null if it begins a branch. */
  readonly parentTurnId: number | null;
}

/** The saved turn of a request; null if it failed or was stopped. Only a failure has a reason. */
export interface IRepeatedAnswer {
  readonly turn: Interaction | null;
  readonly failure: ErrorBody | null;
}

/** The open answers of a prompt row, as the row shows them. */
export interface IShownAnswers {
  /** The turn of the answer that would be accepted. */
  readonly turnId: number;
  /** The code of each answer by turn, with corrections and the person's changes. */
  readonly codes: ReadonlyMap<number, string>;
  /** Whether the shown answer may still be corrected, so that it can't be accepted yet. */
  readonly isChecking: boolean;
}

/** A proposal of an agent that waits for the person. */
export interface IWaitingProposal {
  readonly turnId: number;
  /** The id of the agent's run; null if it is unknown. */
  readonly run: string | null;
  /** Whether the person has changed the same lines of the cell since, which it would overwrite. */
  readonly isCellEdited: boolean;
}

/** The prompt rows of open notebooks. */
export interface IPromptRows {
  /** Emitted when the code of an open answer has changed. */
  readonly answersChanged: ISignal<unknown, void>;
  /** Return the open answers of a cell's row; null if there are none. */
  shownAnswers(panel: NotebookPanel, cellId: string): IShownAnswers | null;
  /** Accept an open answer as the row shows it. Resolves to true if its code was written. */
  acceptAnswer(
    panel: NotebookPanel,
    cellId: string,
    turnId: number
  ): Promise<boolean>;
  /**
   * Show the proposal of an agent that waits in a cell, in the cell's row. The row opens without
   * the focus, and nothing is scrolled, unless `takesFocus`. Resolves to the proposal; null if none
   * is shown, for example because the person is writing a request in the row.
   */
  showProposal(
    panel: NotebookPanel,
    cellId: string,
    takesFocus?: boolean
  ): Promise<IWaitingProposal | null>;
  /** Return whether a prompt row is open in a notebook. A suggestion is shown with an open row. */
  isOpen(panel: NotebookPanel): boolean;
  /** Return whether a cell waits for an answer, or its row runs accepted code. */
  isBusy(panel: NotebookPanel, cellId: string): boolean;
  /**
   * Insert a text, such as `@df.price `, at the cursor of the active cell's row, and focus the row.
   * If the row is closed, open it first. Do nothing if no cell is active. If `isForNewCode` is true,
   * the row is closed, and the cell isn't an empty code cell, use a new code cell below it.
   */
  mention(text: string, isForNewCode?: boolean): Promise<void>;
  /**
   * Send a request of a cell again, with the context as it is now. The cell and its row stay
   * unchanged. Aborting `signal` stops the model.
   */
  repeat(
    panel: NotebookPanel,
    cellId: string,
    request: IRepeatedRequest,
    signal: AbortSignal
  ): Promise<IRepeatedAnswer>;
}

export const IPromptRows = new Token<IPromptRows>(
  'aiserver:IPromptRows',
  'The prompt rows of open notebooks.'
);

/** Texts that hold beyond one cell, and that wait until the person confirms them. */
export interface IMemory {
  /** The entries that models get with requests. */
  readonly usedEntries: readonly MemoryEntry[];
  /** Emitted when the entries have changed. */
  readonly changed: ISignal<unknown, void>;
  /** Show an entry in the memory view, by its name in a receipt, such as `project:3f9c2a41b07d`. */
  show(name: string): void;
  /**
   * Store a text that a request asks to remember, and return the id of the proposal.
   *
   * @throws ApiError, for example if the text may contain a password.
   */
  propose(text: string, source: MemorySource | null): Promise<string>;
  /** Render the question whether a proposal is remembered. */
  renderProposal(options: {
    id: string;
    /** Whether the field with the text takes the focus. */
    takesFocus: boolean;
    /** Called when the proposal was decided or put off, with a sentence about the result. */
    onEnd: (result: string, isHere: boolean) => void;
    /** Reject the proposal, and send its request to the model; undefined if that was sent. */
    onAsk?: () => void;
  }): JSX.Element;
}

/** If the administrator forbids memories, null is provided. */
export const IMemory = new Token<IMemory | null>(
  'aiserver:IMemory',
  'Texts that hold beyond one cell.'
);

/** The part of the replay's notebook tab that shows the runs of agents in the current notebook. */
export interface IAgentsOptions {
  readonly notebookId: string;
  readonly locale: string;
  readonly now: Date;
  /** Return a cell's position in the notebook, from 1; null if it was deleted. */
  readonly numberOf: (cellId: string) => number | null;
  /** Select a cell, and scroll to it. */
  readonly goTo: (cellId: string) => void;
}

/** The agents that read and change the open notebooks. */
export interface IAgents {
  /** Render the runs of agents in a notebook; nothing if there are none. */
  renderRuns(options: IAgentsOptions): JSX.Element;
}

/** If the administrator forbids agents, null is provided. */
export const IAgents = new Token<IAgents | null>(
  'aiserver:IAgents',
  'The agents that read and change the open notebooks.'
);

export { CommandIDs } from './commandIds';
