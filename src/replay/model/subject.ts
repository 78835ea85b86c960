/**
 * The interface of what the replay shows: the active cell of the current notebook. It keeps the
 * models independent of JupyterLab's widgets; `activeCell.ts` implements it.
 */
import { ISignal } from '@lumino/signaling';

/** A cell in the notebook. */
export interface ICellInfo {
  readonly id: string;
  readonly type: string;
  /** The position in the notebook, counted from 1. */
  readonly number: number;
  /** The first line that is not blank. */
  readonly firstLine: string;
}

/** The first line of a source that is not blank, without its indentation. */
export function firstLineOf(source: string): string {
  return /\S.*/.exec(source)?.[0].trimEnd() ?? '';
}

/**
 * `activeCell`: another notebook or cell became active · `source`: the active cell's source
 * changed · `cells`: the list of cells or their state changed.
 */
export type SubjectChange = 'activeCell' | 'source' | 'cells';

export interface IReplaySubject {
  /** Emitted on each change, but never while inactive. */
  readonly changed: ISignal<IReplaySubject, SubjectChange>;

  /** Whether signals of the notebook are observed. */
  isActive: boolean;

  readonly hasNotebook: boolean;
  /** The current notebook's id; null if no cell of it has a history. */
  readonly notebookId: string | null;
  readonly cell: ICellInfo | null;
  /** The active cell's source. */
  readonly source: string;
  readonly mimeType: string;
  /** The MIME type of the notebook's code cells. */
  readonly codeMimeType: string;
  /** Whether the active cell can be edited. */
  readonly isWritable: boolean;
  /** Whether a deleted cell can be restored to the notebook. */
  readonly canUndelete: boolean;
  /** Whether a cell can be inserted below the active one. */
  readonly canInsert: boolean;
  /** All cells, in the notebook's order. */
  cells(): ICellInfo[];
  /** The position of a cell, counted from 1; null if it is not in the notebook. */
  numberOf(cellId: string): number | null;

  /** Replace the active cell's source, in one undo step. */
  apply(source: string): void;
  /**
   * Restore a deleted cell under its own id, in one undo step: below the first of `cellsAbove`
   * that is in the notebook, at the top if none is, or at the end if `cellsAbove` is null.
   *
   * @returns Whether the cell was restored.
   */
  undeleteCell(
    cell: { id: string; type: string; source: string },
    cellsAbove: readonly string[] | null
  ): boolean;
  /** Insert a new cell of the active one's type below it, without activating it. */
  insertBelow(source: string): void;
  /** Undo the last change of the active cell. */
  undo(): void;
  /** Activate a cell and scroll it into view. */
  goTo(cellId: string): Promise<void>;
}
