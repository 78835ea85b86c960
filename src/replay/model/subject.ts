export interface ICellInfo {
  readonly id: string;
  /** The type of the cell: `code`, `markdown` or `raw`. */
  readonly type: string;
  /** The position of the cell in the notebook, counted from 1. */
  readonly number: number;
  readonly firstLine: string;
}

/** Return the first line that is not blank, without its indentation; '' if all lines are blank. */
export function firstLineOf(source: string): string {
  return /\S.*/.exec(source)?.[0].trimEnd() ?? '';
}

/**
 * `activeCell`: another cell, notebook or id of the notebook · `source`: the active cell's source ·
 * `cells`: the list of cells, the active cell's state, or a run.
 */
export type SubjectChange = 'activeCell' | 'source' | 'cells';
