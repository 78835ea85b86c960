/** Interfaces, tokens and command names that plugins share. */
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

/** Events that are about to be recorded. */
export interface IQueuedEvents {
  readonly key: ICellKey;
  readonly events: readonly EventBody[];
}

/** Changes to a notebook's cells, which are recorded together. */
export interface INotebookChange {
  readonly cells: readonly CellChange[];
  /** All cells in their new order; undefined if their order and types are unchanged. */
  readonly order?: readonly PlacedCell[];
  /** Whether the notebook was saved after these changes. */
  readonly saved?: boolean;
  /**
   * Only with `saved`. Returns a change that records what the save wrote into the file: the sources
   * of the given cells, and the order of all cells. Called if another page has recorded changes
   * since this page last recorded a save or, without one, since the watch began.
   */
  readonly savedState?: (cellIds: readonly string[]) => INotebookChange;
  /**
   * Whether this is a watch's first change. It contains all cells that differ from the server's
   * record.
   */
  readonly isInitial?: boolean;
}

export interface ISessionChange extends ICellKey {
  /** Whether another page with the same shared notebook wrote the session. */
  readonly isRemote?: boolean;
}

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
  /** Emitted after a session was written, by any page. */
  readonly changed: ISignal<IHistory, ISessionChange>;

  /** Emit `changed`, so that views fetch the session again. */
  notify(change: ISessionChange): void;

  readonly api: HistoryReader;

  /**
   * Record events of a cell, then emit `changed`. If the server can't record them now, reject the
   * promise, and try again in the background.
   */
  record(key: ICellKey, events: EventBody[]): Promise<void>;

  /** Emitted before the server has written the events of `record`. */
  readonly eventsQueued: ISignal<IHistory, IQueuedEvents>;

  /**
   * Record a change after the notebook's queued changes. If the server can't record it now, try
   * again in the background.
   */
  recordChange(
    notebookId: string,
    change: INotebookChange | Promise<INotebookChange>
  ): void;

  /**
   * Run `work`, which sends a request, once each queued change of the notebook has been sent or waits
   * for a retry.
   */
  enqueue<T>(notebookId: string, work: () => Promise<T>): Promise<T>;

  /** Wait until each queued change of a notebook has been written or waits for a retry. */
  settled(notebookId: string): Promise<void>;
}

export const IHistory = new Token<IHistory>(
  'aiserver:IHistory',
  'Reads and records the histories on the server.'
);

/** Manages the id of a notebook's sessions (`metadata.aiserver.notebook_id`). */
export interface INotebookIdentity {
  /** Null if none of the notebook's cells has a session yet. */
  get(panel: NotebookPanel): string | null;

  /**
   * Return the notebook's id; create it if there is none. If the ids of the notebook and its cells
   * in the file may differ from those in the page, save first.
   *
   * @throws Error with a message for the person, if the notebook can't be saved.
   */
  ensure(panel: NotebookPanel): Promise<string>;

  /**
   * Wait until an open notebook was registered with the server, or that failed. Until then, a copy
   * may have the original's id.
   */
  registered(panel: NotebookPanel): Promise<void>;

  /** Emitted when a notebook has got an id or another one. */
  readonly changed: ISignal<INotebookIdentity, NotebookPanel>;
}

export const INotebookIdentity = new Token<INotebookIdentity>(
  'aiserver:INotebookIdentity',
  'Manages the id under which a notebook’s sessions are stored.'
);

/** Cells that were deleted, not merged, in an open notebook with a history. */
export interface ICellDeletion {
  readonly panel: NotebookPanel;
  /** All cells, in order. */
  readonly before: readonly { readonly id: string; readonly source: string }[];
  /** By id, in the notebook format. */
  readonly deleted: ReadonlyMap<string, object>;
  readonly contributor: Promise<ContributorBody>;
}

/** Records changes to the cells of open notebooks. */
export interface ITracking {
  /** Emitted in the task that deletes cells, unless another page records the deletion. */
  readonly cellsDeleted: ISignal<ITracking, ICellDeletion>;

  isTracked(panel: NotebookPanel): boolean;

  /** Queue the unrecorded edits of a notebook, before asking a model. */
  captureBeforeRequest(panel: NotebookPanel): void;

  /**
   * Run a function that makes a write by an agent or a restore into these cells, as an own write
   * (`ownWrites.ts`), and record it, even if the notebook has no history yet or tracking is off.
   * Resolves to what the function returns; to null if it was not called, because the history can't
   * be read now.
   */
  recordWrite<T>(
    panel: NotebookPanel,
    cellIds: readonly string[],
    write: () => T
  ): Promise<T | null>;

  /** Like `IHistory.settled`, after the notebook's watch has started. */
  settled(panel: NotebookPanel): Promise<void>;
}

export const ITracking = new Token<ITracking>(
  'aiserver:ITracking',
  'Records changes to the cells of open notebooks.'
);

/** Options of the menu for the default model or a cell's model. */
export interface IModelPickOptions {
  /** In the window, in pixels. */
  readonly x: number;
  readonly y: number;
  /** The model that was chosen for the cell; null if it uses the default model. */
  readonly cellModel: string | null;
  /** Null selects the default model. */
  readonly chooseForCell: (id: string | null) => void;
  /** Also ask a model for an answer to the open request; undefined if no suggestion is open. */
  readonly askAnother?: (id: string) => void;
}

/** Options of the menu for a model for one purpose. */
export interface IOtherModelOptions {
  /** In the window, in pixels. */
  readonly x: number;
  readonly y: number;
  /** The chosen model's id; null if there is none. */
  readonly chosen: string | null;
  readonly choose: (model: ModelInfo) => void;
}

/**
 * Lets a person choose, connect and install models. Without the plugin that provides it, a prompt
 * row shows its model's name without a menu.
 */
export interface IModels {
  /** Emitted whenever the page has fetched the list of models, or failed to. */
  readonly changed: ISignal<IModels, void>;

  pick(options: IModelPickOptions): void;

  /** Let the person choose a model for one purpose; the default model stays. */
  pickOther(options: IOtherModelOptions): void;
  /** Open the form of a provider; resolves to true if one of its models was chosen there. */
  connect(provider?: string): Promise<boolean>;

  /**
   * Render the part of a prompt row that helps to set up a model while none is ready.
   *
   * `focusInput` is called when a focused button disappears. `attempts` counts the requests that
   * could not be sent because no model is ready: whenever it grows, a message says so.
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
  /** The original turn's mode, such as `fix`; empty if none is stored. */
  readonly mode: string;
  /** The lines of `source` that may change; null for all. */
  readonly selection: LineRange | null;
  readonly model: ModelInfo;
  readonly repeatsTurnId: number;
  /** The turn from which the request continues; null if it begins a branch. */
  readonly parentTurnId: number | null;
}

/** `turn` is null if the request failed or was stopped. Only a failure has a reason. */
export interface IRepeatedAnswer {
  readonly turn: Interaction | null;
  readonly failure: ErrorBody | null;
}

/** The open answers of a prompt row, as it shows them. */
export interface IShownAnswers {
  /** The turn of the answer that would be accepted. */
  readonly turnId: number;
  /** The code of each answer by turn, with corrections and the person's changes. */
  readonly codes: ReadonlyMap<number, string>;
  /** Whether the shown answer may still be corrected, so that it can't be accepted yet. */
  readonly isChecking: boolean;
}

/** An agent's proposal that waits for the person. */
export interface IWaitingProposal {
  readonly turnId: number;
  /** The agent's run; null if it is unknown. */
  readonly run: string | null;
  /** Whether the proposal would overwrite lines that the person has changed since. */
  readonly isCellEdited: boolean;
}

export interface IPromptRows {
  readonly answersChanged: ISignal<unknown, void>;
  /** Null if a cell has no open answers. */
  shownAnswers(panel: NotebookPanel, cellId: string): IShownAnswers | null;
  /** Accept an open answer as the row shows it. Resolves to true if its code was written. */
  acceptAnswer(
    panel: NotebookPanel,
    cellId: string,
    turnId: number
  ): Promise<boolean>;
  /**
   * Show an agent's waiting proposal in the cell's row. Unless `takesFocus`, the row doesn't get the
   * focus, and nothing is scrolled. Resolves to null if none is shown, for example because the
   * person is writing a request in the row.
   */
  showProposal(
    panel: NotebookPanel,
    cellId: string,
    takesFocus?: boolean
  ): Promise<IWaitingProposal | null>;
  /** Return whether a notebook has an open prompt row, as each shown suggestion has. */
  isOpen(panel: NotebookPanel): boolean;
  /** Return whether a cell waits for an answer, or its row runs accepted code. */
  isBusy(panel: NotebookPanel, cellId: string): boolean;
  /**
   * Insert a text, such as `@df.price `, at the cursor of the active cell's row. Open and focus the
   * row. Do nothing if no cell is active. With `isForNewCode`, if the row is closed and the cell
   * isn't an empty code cell, use a new code cell below it.
   */
  mention(text: string, isForNewCode?: boolean): Promise<void>;
  /**
   * Send a request of a cell again, with the current context; cell and row stay unchanged. Aborting
   * `signal` stops the model.
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

/** Texts that hold beyond one cell; new ones wait until the person confirms them. */
export interface IMemory {
  /** The entries that models get with requests. */
  readonly usedEntries: readonly MemoryEntry[];
  readonly changed: ISignal<unknown, void>;
  /** Show an entry in the memory view, by its name in a receipt, such as `project:3f9c2a41b07d`. */
  show(name: string): void;
  /**
   * Store a text that a request asks to remember, and return the proposal's id.
   *
   * @throws ApiError, for example if the text may contain a password.
   */
  propose(text: string, source: MemorySource | null): Promise<string>;
  renderProposal(options: {
    id: string;
    takesFocus: boolean;
    /** Called when the proposal was decided or put off, with a sentence about the result. */
    onEnd: (result: string, isHere: boolean) => void;
    /** Reject the proposal, and send its request to the model; undefined if that was sent. */
    onAsk?: () => void;
  }): JSX.Element;
}

/** Null if the administrator forbids memories. */
export const IMemory = new Token<IMemory | null>(
  'aiserver:IMemory',
  'Texts that hold beyond one cell.'
);

/** The part of the replay's notebook tab with the runs of agents. */
export interface IAgentsOptions {
  readonly notebookId: string;
  readonly locale: string;
  readonly now: Date;
  /** Return a cell's position, from 1; null if it was deleted. */
  readonly numberOf: (cellId: string) => number | null;
  readonly goTo: (cellId: string) => void;
  /** Search the history. */
  readonly find: (query: string) => void;
}

/** The agents that read and change the open notebooks. */
export interface IAgents {
  /** Render the runs in a notebook; nothing if there are none. */
  renderRuns(options: IAgentsOptions): JSX.Element;
}

/** Null if the administrator forbids agents. */
export const IAgents = new Token<IAgents | null>(
  'aiserver:IAgents',
  'The agents that read and change the open notebooks.'
);

export { CommandIDs } from './commandIds';
