/**
 * The data of the exported page, which `aiserver/plugins/export/page_data.py` writes, and the
 * notebook that it replays. Cells, steps and moments are referred to by their indexes.
 */
import type { Report, Step } from '../../../api/types';
import {
  findPosition,
  foldRuns,
  IShownStep,
  sourceAfter
} from '../../../records/fold';

/** In the order of `AUTHORS` in `page_data.py`. */
export const AUTHORS = [
  'person',
  'model',
  'agent',
  'program',
  'unknown',
  'existing'
] as const;
export type Author = (typeof AUTHORS)[number];

export type CellStep = readonly [cell: number, step: number];

/**
 * The step in which consecutive lines appeared in this cell, an index into `AUTHORS`, and the step
 * of another cell from which they were copied.
 */
type LinesOrigin = readonly [
  lineCount: number,
  step: number | null,
  author: number,
  copiedFrom?: CellStep
];

export interface IOrigin {
  readonly step: number | null;
  readonly author: Author;
  readonly copiedFrom?: CellStep;
}

/** Parsed Markdown: a text, or a list of an element's tag and its children. */
export type MarkdownNode = string | readonly [string, ...MarkdownNode[]];

/** A step of the HTTP API, with the origins of its lines and its explanation as Markdown. */
export interface IPageStep extends Step {
  readonly by: readonly LinesOrigin[];
  readonly answer?: readonly MarkdownNode[];
}

type Attempt = NonNullable<Step['attempts']>[number];

/** As stored in the page: with indexes into `texts` instead of sources. */
type StepData = Omit<IPageStep, 'before' | 'code' | 'base' | 'attempts'> & {
  readonly before: number;
  readonly code: number;
  readonly base?: number;
  readonly attempts?: readonly (Omit<Attempt, 'code'> & { code: number })[];
};

/** From position `start` on, `inserted` replaces `removedCount` entries of a list. */
type ListChange<T> = readonly [
  moment: number,
  start: number,
  removedCount: number,
  inserted: readonly T[]
];

type PlacedCell = readonly [cell: number, type: string];

export interface IPageData {
  readonly name: string;
  readonly language: string;
  readonly cells: readonly {
    readonly id: string;
    readonly type: string;
    readonly mergedInto: number | null;
    readonly steps: readonly StepData[];
    /** The source before the first step, as an index into `texts`. */
    readonly first: number;
  }[];
  readonly moments: readonly {
    readonly timestamp: string;
    readonly kind: string;
    readonly steps: readonly CellStep[];
    readonly saved?: true;
  }[];
  /** The changes of the lists of cells in the notebook, and of deleted cells. */
  readonly orders: readonly ListChange<PlacedCell>[];
  readonly deleted: readonly ListChange<number>[];
  readonly texts: readonly string[];
  /** The parsed sources of Markdown cells, by index into `texts`. */
  readonly markdown: Readonly<Record<number, readonly MarkdownNode[]>>;
  /** The images of outputs as `data:` addresses, by SHA-256. */
  readonly pictures: Readonly<Record<string, string>>;
  readonly leftOut?: number;
  readonly report: Report;
  readonly runs?: readonly (readonly [
    agent: string,
    intent: string,
    cellCount: number
  ])[];
}

export interface ICell {
  readonly id: string;
  readonly type: string;
  readonly isMerged: boolean;
  readonly steps: readonly IPageStep[];
  /** A run belongs to the row of the step whose code was run. */
  readonly rows: readonly IShownStep[];
  readonly firstSource: string;
}

export class NotebookReplay {
  constructor(readonly data: IPageData) {
    const { moments, texts } = data;
    this.cells = data.cells.map(cell => {
      const steps = cell.steps.map(step => readStep(step, texts));
      return {
        id: cell.id,
        type: cell.type,
        isMerged: cell.mergedInto !== null,
        steps,
        rows: foldRuns(steps),
        firstSource: texts[cell.first]
      };
    });
    this._present = replayChanges(data.orders, moments.length);
    this._deleted = replayChanges(data.deleted, moments.length);
    this._momentsOfSteps = this.cells.map(() => []);
    moments.forEach(({ steps }, moment) =>
      steps.forEach(([cell, step]) =>
        this._momentsOfSteps[cell].push([moment, step])
      )
    );
    this._markdown = new Map(
      Object.entries(data.markdown).map(([index, nodes]) => [
        texts[Number(index)],
        nodes
      ])
    );
  }

  readonly cells: readonly ICell[];

  get lastMoment(): number {
    return this.data.moments.length - 1;
  }

  presentAt(moment: number): readonly PlacedCell[] {
    return this._present[moment] ?? [];
  }

  deletedAt(moment: number): readonly number[] {
    return this._deleted[moment] ?? [];
  }

  /** Return a cell's newest step up to a moment; -1 if there is none. */
  stepAt(cell: number, moment: number): number {
    const steps = this._momentsOfSteps[cell].filter(([at]) => at <= moment);
    return steps.at(-1)?.[1] ?? -1;
  }

  /** Return the moment of a cell's first step; null if it is unknown. */
  firstMoment(cell: number): number | null {
    return this._momentsOfSteps[cell][0]?.[0] ?? null;
  }

  /** Return the moment to which a step belongs, or null. */
  momentOf(cell: number, step: number): number | null {
    const match = this._momentsOfSteps[cell].find(
      ([, index]) => index === step
    );
    return match?.[0] ?? null;
  }

  /** Return the row that shows a step; -1 if there is none. */
  rowOf(cell: number, step: number): number {
    return findPosition(this.cells[cell].rows, (_, index) => index === step);
  }

  /** Return the step that a row shows, with the code after the changes that the row combines. */
  stepOf(cell: number, row: IShownStep): IPageStep {
    const { steps } = this.cells[cell];
    const own = steps[row.serverIndex ?? row.index];
    const last = steps[row.parts?.at(-1)?.index ?? own.index];
    return row.kind === 'move'
      ? last
      : { ...own, code: last.code, by: last.by };
  }

  /** Return a cell's source after a step (before the first one if `step` is -1), and its origins. */
  sourceAt(
    cell: number,
    step: number
  ): { source: string; origins: readonly IOrigin[] } {
    const { steps, firstSource } = this.cells[cell];
    const applied = steps.slice(0, step + 1).filter(each => each.applied);
    return {
      source: step < 0 ? firstSource : sourceAfter(steps[step]),
      origins: originsOf(applied.at(-1))
    };
  }

  /** Return the last run, up to a step, of the source after it, or null. */
  lastRun(cell: number, step: number): IPageStep | null {
    const { steps } = this.cells[cell];
    for (let index = step; index >= 0; index--) {
      if (sourceAfter(steps[index]) !== sourceAfter(steps[step])) {
        break;
      }
      if (steps[index].kind === 'run') {
        return steps[index];
      }
    }
    return null;
  }

  /** Null if the exporter didn't parse the source. */
  markdownOf(source: string): readonly MarkdownNode[] | null {
    return this._markdown.get(source) ?? null;
  }

  private readonly _present: PlacedCell[][];
  private readonly _deleted: number[][];
  /** For each cell, its steps that belong to a moment, in the order of the moments. */
  private readonly _momentsOfSteps: [moment: number, step: number][][];
  private readonly _markdown: Map<string, readonly MarkdownNode[]>;
}

function readStep(step: StepData, texts: readonly string[]): IPageStep {
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

export function originsOf(step: IPageStep | undefined): readonly IOrigin[] {
  return (step?.by ?? []).flatMap(([lineCount, origin, author, copiedFrom]) =>
    Array<IOrigin>(lineCount).fill({
      step: origin,
      author: AUTHORS[author],
      copiedFrom
    })
  );
}

/** Return the list after each moment. The changes are in their order. */
function replayChanges<T>(
  changes: readonly ListChange<T>[],
  momentCount: number
): T[][] {
  let list: T[] = [];
  let next = 0;
  return Array.from({ length: momentCount }, (_, moment) => {
    for (; changes[next]?.[0] === moment; next++) {
      const [, start, removedCount, inserted] = changes[next];
      list = [...list];
      list.splice(start, removedCount, ...inserted);
    }
    return list;
  });
}
