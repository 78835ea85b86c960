/** The data of the page, which `aiserver/sharing/page_data.py` writes into it. */
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

/** A step of a cell, both as indexes. */
export type CellStep = readonly [cell: number, step: number];

/** The origin of consecutive lines; `copiedFrom` is a step of another cell. */
export type OriginRun = readonly [
  lines: number,
  step: number | null,
  author: number,
  copiedFrom?: CellStep
];

/** A part of a text that was parsed as Markdown: a text, or a tag and what is in it. */
export type MarkdownNode = string | readonly [string, ...MarkdownNode[]];

/** A step with the origins of its lines and, if it isn't plain text, its explanation. */
export interface IPageStep extends Step {
  readonly by: readonly OriginRun[];
  readonly answer?: readonly MarkdownNode[];
}

/** A step whose sources are indexes into the texts. */
type StepData = Omit<IPageStep, 'before' | 'code' | 'base'> & {
  readonly before: number;
  readonly code: number;
  readonly base?: number;
};

export interface IMoment {
  readonly timestamp: string;
  readonly kind: string;
  readonly steps: readonly CellStep[];
  readonly saved?: true;
}

/** A change of a list: at which moment and position, how many are removed, what is inserted. */
export type ListChange<T> = readonly [
  moment: number,
  start: number,
  removed: number,
  inserted: readonly T[]
];

/** A cell of the notebook with its type at some moment. */
export type PlacedCell = readonly [cell: number, type: string];

export interface IPageData {
  readonly name: string;
  readonly language: string;
  readonly cells: readonly {
    readonly id: string;
    readonly type: string;
    readonly mergedInto: number | null;
    readonly steps: readonly StepData[];
    readonly first: number;
  }[];
  readonly moments: readonly IMoment[];
  readonly orders: readonly ListChange<PlacedCell>[];
  readonly deleted: readonly ListChange<number>[];
  readonly texts: readonly string[];
  readonly markdown: Readonly<Record<number, readonly MarkdownNode[]>>;
  readonly pictures: Readonly<Record<string, string>>;
  readonly report: Report;
}

/** Return the step with its sources. */
export function readStep(step: StepData, texts: readonly string[]): IPageStep {
  const { before, code, base } = step;
  return {
    ...step,
    before: texts[before],
    code: texts[code],
    base: base === undefined ? undefined : texts[base]
  };
}
