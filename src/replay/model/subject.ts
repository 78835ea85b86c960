/** Types that describe the active cell, which is the subject of the replay, and its changes. */

/** A cell in the notebook. */
export interface ICellInfo {
  readonly id: string;
  readonly type: string;
  /** The position in the notebook, counted from 1. */
  readonly number: number;
  /** The first line of the source that is not blank. */
  readonly firstLine: string;
}

/** Return the first line of a source that is not blank, without its indentation. */
export function firstLineOf(source: string): string {
  return /\S.*/.exec(source)?.[0].trimEnd() ?? '';
}

/**
 * The kind of a change. `activeCell`: another notebook or cell became active · `source`: the
 * active cell's source changed · `cells`: the list of cells or the state of a cell changed.
 */
export type SubjectChange = 'activeCell' | 'source' | 'cells';
