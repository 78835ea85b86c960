/** The cells that the replay shows, and changes of them. */

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
