/**
 * What is known of the asking in one cell: the shapes that a view draws, and how failures
 * become sentences' material.
 */
import { ApiError } from '../api/request';
import type {
  CellType,
  ContextCell,
  DataFrameProfile,
  ModelInfo
} from '../api/types';

/** The cell that asks, by its id: it may move, be drawn anew, or go. */
export interface ITarget {
  readonly cellId: string;

  /** What kind of cell it is now; a person may change that. */
  readonly cellType: CellType;

  /** Whether what is written into the cell can't be saved. */
  readonly isReadOnly: boolean;

  /** The notebook's id, if it has one already. */
  notebookId(): string | null;

  /**
   * Give the notebook its id and save it, if it can be saved.
   *
   * @throws Error with a sentence for the person.
   */
  ensure(): Promise<string>;

  /** The cell's code; null if the cell is gone. */
  source(): string | null;

  /** Write the cell's code in one undo step; false if the cell is gone or locked. */
  apply(source: string): boolean;

  /** What the request says of the notebook around the cell. */
  surroundings(): {
    language: string;
    cellType: CellType;
    context: { cells: ContextCell[]; kernel: string };
    notebookPath: string;
  };
}

export type Phase =
  | 'idle'
  | 'asking'
  | 'waiting'
  | 'streaming'
  | 'suggested'
  | 'failed'
  | 'stopped';

/** A whole answer that can be accepted. */
export interface ISuggestion {
  readonly turnId: number;
  readonly intent: string;
  readonly source: string;
  readonly explanation: string;
}

/** What went wrong. `code` is the server's, or one of ours: `interrupted`, `not_sent`. */
export interface IFailure {
  readonly code: string;
  /** Empty where the client words it by its code. */
  readonly message: string;
  /** The command that mends it. */
  readonly install?: string;
  /** Seconds that the provider asks to wait. */
  readonly retryAfter?: number;
  /** With `generation_running`: the one that runs. */
  readonly generationId?: string;
}

/** What a view draws. Each change makes a new one. */
export interface IGenerationState {
  readonly phase: Phase;
  /** What was asked, while and after it is answered. */
  readonly intent: string;
  /** The text that a view puts into its input, when it changes. */
  readonly draft: string;
  /** The answer so far, or the suggestion. */
  readonly code: string;
  readonly explanation: string;
  readonly turnId: number | null;
  readonly model: ModelInfo | null;
  readonly failure: IFailure | null;
  /** Something that a person should know and that is no failure. */
  readonly notice: 'busy' | 'stopped' | 'reset' | 'gone' | 'unsaved' | null;
  /** When the request was sent, by `performance.now()`. */
  readonly since: number;
  readonly dataframes: readonly DataFrameProfile[];
}

export const INITIAL: IGenerationState = {
  phase: 'idle',
  intent: '',
  draft: '',
  code: '',
  explanation: '',
  turnId: null,
  model: null,
  failure: null,
  notice: null,
  since: 0,
  dataframes: []
};

/** The request did not leave: the notebook could not be made ready. */
export class NotSent extends Error {}

export function asFailure(reason: unknown): IFailure {
  if (reason instanceof ApiError) {
    return { ...reason.body, code: reason.code, message: reason.message };
  }
  if (reason instanceof NotSent) {
    return { code: 'not_sent', message: reason.message };
  }
  // The body of the answer broke off: the browser's own words help nobody.
  return { code: 'interrupted', message: '' };
}

export function problemOf(model: ModelInfo | null): IFailure | null {
  if (model?.ready) {
    return null;
  }
  return {
    code: 'no_model',
    message: model?.problem ?? '',
    install: model?.install ?? undefined
  };
}

/** CodeMirror knows one line break only; what is shown must be what is written. */
export function normalised(code: string): string {
  return code.replace(/\r\n?/g, '\n');
}
