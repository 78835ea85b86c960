/**
 * Types that describe the subject of the replay: the active cell of the current notebook.
 * `ICellInfo` describes a cell. `SubjectChange` lists the changes to which the sidebar reacts.
 */

/** The description of a cell that is in the notebook. */
export interface ICellInfo {
  readonly id: string;
  /** The type of the cell: `code`, `markdown` or `raw`. */
  readonly type: string;
  /** The position of the cell in the notebook, counted from 1. */
  readonly number: number;
  /** The result of `firstLineOf` for the cell's source. */
  readonly firstLine: string;
}

/** Return the first line that is not blank, without its indentation; '' if all lines are blank. */
export function firstLineOf(source: string): string {
  return /\S.*/.exec(source)?.[0].trimEnd() ?? '';
}

/**
 * The kind of a change. `activeCell`: another notebook or cell became active, or the notebook's id
 * changed · `source`: the active cell's source changed · `cells`: the list of cells changed, the
 * active cell's state (such as its execution count) changed, or a cell was run.
 */
export type SubjectChange = 'activeCell' | 'source' | 'cells';
