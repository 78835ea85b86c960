/** The types of the data that `aiserver/sharing/page_data.py` writes into the exported page. */
import type { Report, Step } from '../../api/types';

/** The authors of lines, in the order of `AUTHORS` in `page_data.py`. */
export const AUTHORS = [
  'person',
  'model',
  'agent',
  'program',
  'unknown',
  'existing'
] as const;
export type Author = (typeof AUTHORS)[number];

/** A reference to a step of a cell: the cell's index, and the step's index within the cell. */
export type CellStep = readonly [cell: number, step: number];

/**
 * The common origin of consecutive lines. `step` is the step in which the lines appeared in this
 * cell; null if it isn't recorded. `author` is an index into `AUTHORS`. If the lines were copied
 * from another cell, `copiedFrom` is the step that wrote the lines in that cell.
 */
export type LinesOrigin = readonly [
  lineCount: number,
  step: number | null,
  author: number,
  copiedFrom?: CellStep
];

/**
 * A node of parsed Markdown: a text, or an element, which is a list of its tag and its children.
 */
export type MarkdownNode = string | readonly [string, ...MarkdownNode[]];

/** A step of the HTTP API, with more data for the exported page. */
export interface IPageStep extends Step {
  /** The origins of the lines of the step's code. */
  readonly by: readonly LinesOrigin[];
  /** The parsed Markdown of `explanation`; undefined if `explanation` is shown as plain text. */
  readonly answer?: readonly MarkdownNode[];
}

/**
 * A step as it is stored in the page: instead of the step's sources, it has indexes into `texts`.
 */
type StepData = Omit<IPageStep, 'before' | 'code' | 'base' | 'attempts'> & {
  readonly before: number;
  readonly code: number;
  readonly base?: number;
  readonly attempts?: readonly (Omit<Attempt, 'code'> & {
    readonly code: number;
  })[];
};

type Attempt = NonNullable<Step['attempts']>[number];

export interface IMoment {
  readonly timestamp: string;
  readonly kind: string;
  /** The steps that belong to the moment. */
  readonly steps: readonly CellStep[];
  /** Present if the notebook was saved at the moment. */
  readonly saved?: true;
}

/**
 * A change of a list at a moment: from position `start` on, `removedCount` entries of the list are
 * replaced by the entries in `inserted`.
 */
export type ListChange<T> = readonly [
  moment: number,
  start: number,
  removedCount: number,
  inserted: readonly T[]
];

/** A cell of the notebook at some moment: the cell's index, and its type at that moment. */
export type PlacedCell = readonly [cell: number, type: string];

export interface IPageData {
  readonly name: string;
  readonly language: string;
  readonly cells: readonly {
    readonly id: string;
    readonly type: string;
    /** The index of the cell into which this cell was merged; null if it wasn't merged. */
    readonly mergedInto: number | null;
    readonly steps: readonly StepData[];
    /** The source before the first step, as an index into `texts`. */
    readonly first: number;
  }[];
  readonly moments: readonly IMoment[];
  /** The changes of the list of cells in the notebook. */
  readonly orders: readonly ListChange<PlacedCell>[];
  /** The changes of the list of deleted cells. */
  readonly deleted: readonly ListChange<number>[];
  /** The texts that indexes in this data refer to. Each distinct text is stored only once. */
  readonly texts: readonly string[];
  /** The parsed sources of Markdown cells, by index into `texts`. */
  readonly markdown: Readonly<Record<number, readonly MarkdownNode[]>>;
  /** The images of outputs as `data:` addresses, by SHA-256. */
  readonly pictures: Readonly<Record<string, string>>;
  /** The number of cells that are left out; undefined if there are none. */
  readonly leftOut?: number;
  readonly report: Report;
}

/** Read a stored step: replace its indexes into `texts` with the sources. */
export function readStep(step: StepData, texts: readonly string[]): IPageStep {
  const { before, code, base } = step;
  return {
    ...step,
    before: texts[before],
    code: texts[code],
    base: base === undefined ? undefined : texts[base],
    attempts: step.attempts?.map(attempt => ({
      ...attempt,
      code: texts[attempt.code]
    }))
  };
}
