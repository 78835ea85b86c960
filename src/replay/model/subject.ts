/**
 * What the replay follows: the active cell of the current notebook. An interface, so that
 * the models know no view; `notebook/followed.ts` is the one for JupyterLab's notebooks.
 */
import { ISignal } from '@lumino/signaling';

/** A cell, as the replay names it. */
export interface ICellInfo {
  readonly id: string;
  readonly type: string;
  /** The place in the notebook, counted from 1. */
  readonly number: number;
  /** The first line that is not blank. */
  readonly firstLine: string;
}

/** `where`: another notebook or cell · `source`: the cell's code · `cells`: which cells there are. */
export type SubjectChange = 'where' | 'source' | 'cells';

export interface IReplaySubject {
  /** Something changed; never emitted while inactive. */
  readonly changed: ISignal<IReplaySubject, SubjectChange>;

  /** Whether it watches the notebook. While it doesn't, what it says may be old. */
  isActive: boolean;

  readonly hasNotebook: boolean;
  /** The current notebook's id; null where no cell of it has a history. */
  readonly notebookId: string | null;
  readonly cell: ICellInfo | null;
  /** The active cell's code. */
  readonly source: string;
  readonly mimeType: string;
  /** That of the notebook's code cells. */
  readonly codeMimeType: string;
  /** Whether code may be put into the active cell. */
  readonly isWritable: boolean;
  /** Whether a cell that is gone can be put into the notebook again. */
  readonly canBringBack: boolean;
  /** Whether a cell can be put below the active one. */
  readonly canInsert: boolean;
  /** All cells, in the notebook's order. */
  cells(): ICellInfo[];
  /** The place of a cell, counted from 1; null if it is not in the notebook. */
  numberOf(cellId: string): number | null;

  /** Make the active cell hold `source`, in one undo step. */
  apply(source: string): void;
  /**
   * Put a cell that is gone into the notebook again, under its own id: behind the first of
   * these cells that is there (before all others if none is), or at the end if nobody knows
   * where it stood. One undo step; whether it was done.
   */
  bringBack(
    cell: { id: string; type: string; source: string },
    before: readonly string[] | null
  ): boolean;
  /** Put a new cell of the active one's type below it; the active one stays so. */
  insertBelow(source: string): void;
  /** Take back the last step of the active cell. */
  undo(): void;
  /** Make a cell the active one, and bring it into view. */
  goTo(cellId: string): Promise<void>;
}
