/** The messages between the page and the server about agents, over one WebSocket. */
import type { IApplied, IRefusal, Operation } from '../../../cells/operations';
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

export type ServerMessage = Question | Notice;

export type Answer =
  | IRefusal
  | IApplied
  | {
      type: 'ran';
      cells: readonly {
        id: string;
        status: 'ok' | 'error' | 'aborted';
        executionCount: number | null;
        outputs: readonly unknown[];
      }[];
    }
  | { type: 'cells'; notebookId: string | null; cells: readonly unknown[] };
