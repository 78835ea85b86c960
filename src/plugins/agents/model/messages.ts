/** The messages between the page and the server about agents, over one WebSocket. */
import type { CellType } from '../../../api/types';
import type { IWriteAuthor } from '../../../records/contributor';

/**
 * A change of the cells. `base` is the SHA-256 of the source that the agent saw, and `after` the cell
 * above; null for the top.
 */
export type Operation =
  | { op: 'edit'; cell: string; base: string; source: string }
  | {
      op: 'insert';
      cell: string;
      type: CellType;
      source: string;
      after: string | null;
    }
  | { op: 'delete'; cell: string; base: string }
  | { op: 'move'; cell: string; after: string | null };

/** A question of the server about an open notebook, which the page answers with the same `id`. */
export type Question = { id: string; path: string } & (
  | {
      type: 'apply';
      operations: Operation[];
      author: Pick<IWriteAuthor, 'contributor' | 'run' | 'data'>;
    }
  | {
      type: 'run';
      cells: string[];
      author?: Pick<IWriteAuthor, 'contributor' | 'run' | 'data'>;
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

/** The reason for which nothing was changed; with `stale`, a source is null if there is no such cell. */
export interface IRefusal {
  readonly type: 'refused';
  readonly code: 'stale' | 'read_only' | 'busy' | 'gone';
  readonly cells: readonly { id: string; source: string | null }[];
}

export type Answer =
  | IRefusal
  | {
      type: 'done';
      cells: readonly { id: string; type: string; source: string }[];
      order: readonly string[];
    }
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
