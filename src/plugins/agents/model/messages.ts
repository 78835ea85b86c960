/** The messages between the page and the server about agents, over one WebSocket. */
import type { DataFrameProfile, PrivacyLevel } from '../../../api/types';
import type { IApplied, IRefusal, Operation } from '../../../cells/operations';
import type { ICheck } from '../../../kernel/check';
import type { IWriteAuthor } from '../../../records/contributor';

/** A question of the server about an open notebook, which the page answers with the same `id`. */
export type Question = { id: string; path: string } & (
  | {
      type: 'apply';
      operations: Operation[];
      author: Omit<IWriteAuthor, 'cellData'>;
    }
  | {
      type: 'run';
      cells: string[];
      author?: Omit<IWriteAuthor, 'cellData'>;
    }
  | { type: 'read' }
  /** Check code that is to replace that of a cell; null if it is for no cell. */
  | { type: 'check'; source: string; cell: string | null }
  /** Describe a DataFrame with the values of a level, or all DataFrames without values. */
  | { type: 'data'; name: string | null; level: PrivacyLevel }
  /** Run code without a cell. */
  | { type: 'execute'; code: string }
  /** Ask the person whether an agent may delete or run cells or, without cells, run code. */
  | {
      type: 'permit';
      act: 'delete' | 'run';
      agent: string;
      cells: string[];
      code: string;
      /** The time that the person has. */
      seconds: number;
    }
);

/** A message that needs no answer. */
export type Notice =
  | {
      type: 'proposed';
      path: string;
      cellId: string;
      turnId: number;
      run: string;
    }
  /** An agent has begun to work in a notebook. */
  | { type: 'begun'; path: string }
  /** The runs or permissions of a notebook have changed. */
  | { type: 'changed'; notebookId: string };

export type PermitQuestion = Extract<Question, { type: 'permit' }>;

export type ServerMessage = Question | Notice;

export type Answer =
  | IRefusal
  | IApplied
  | {
      type: 'ran';
      cells: readonly {
        /** Null for code without a cell. */
        id: string | null;
        status: 'ok' | 'error' | 'aborted';
        executionCount: number | null;
        outputs: readonly unknown[];
      }[];
    }
  | ({ type: 'checked' } & ICheck)
  /** Null if the person hasn't decided. */
  | { type: 'permitted'; allowed: boolean | null }
  | { type: 'described'; frames: readonly DataFrameProfile[] }
  | { type: 'cells'; notebookId: string | null; cells: readonly unknown[] };
