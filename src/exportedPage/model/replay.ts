/**
 * The replay of the exported notebook: its cells, their steps, and which cells and steps existed at
 * each moment. All functions here are pure.
 *
 * Cells, steps and moments are referred to by their indexes: `cell` and `moment` are indexes in the
 * lists of the notebook, and `step` is an index in the list of the cell's steps.
 */
import {
  findPosition,
  foldRuns,
  IShownStep,
  sourceAfter
} from '../../records/fold';
import {
  Author,
  AUTHORS,
  CellStep,
  IPageData,
  IPageStep,
  ListChange,
  MarkdownNode,
  PlacedCell,
  readStep
} from './data';

/** The origin of a line; `LinesOrigin` describes the fields. */
export interface IOrigin {
  readonly step: number | null;
  readonly author: Author;
  readonly copiedFrom?: CellStep;
}

export interface ICell {
  readonly id: string;
  readonly type: string;
  readonly isMerged: boolean;
  /** All steps. Indexes of steps, such as a step's `index`, refer to this list. */
  readonly steps: readonly IPageStep[];
  /**
   * The rows of the list of steps. A row shows one step or several; a run belongs to the row of the
   * step whose code was run.
   */
  readonly rows: readonly IShownStep[];
  /** The source before the first step. */
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
    this._stepsWithMoment = this.cells.map(() => []);
    moments.forEach(({ steps }, moment) => {
      steps.forEach(([cell, step]) =>
        this._stepsWithMoment[cell].push([moment, step])
      );
    });
    const parsedSources = Object.entries(data.markdown);
    this._markdownBySource = new Map(
      parsedSources.map(([index, nodes]) => [texts[Number(index)], nodes])
    );
  }

  readonly cells: readonly ICell[];

  get lastMoment(): number {
    return this.data.moments.length - 1;
  }

  /** Return the cells of the notebook as it was after a moment, in their order. */
  presentAt(moment: number): readonly PlacedCell[] {
    return this._present[moment] ?? [];
  }

  /** Return the indexes of the cells that had been deleted, and not restored, by a moment. */
  deletedAt(moment: number): readonly number[] {
    return this._deleted[moment] ?? [];
  }

  /** Return the index of a cell's newest step up to a moment; -1 if the cell had no step yet. */
  stepAt(cell: number, moment: number): number {
    const steps = this._stepsWithMoment[cell].filter(
      ([momentOfStep]) => momentOfStep <= moment
    );
    return steps.at(-1)?.[1] ?? -1;
  }

  /** Return the moment at which a cell got its first step; null if the moment is unknown. */
  firstMoment(cell: number): number | null {
    return this._stepsWithMoment[cell][0]?.[0] ?? null;
  }

  /** Return the moment to which a step belongs; null if it belongs to no moment. */
  momentOf(cell: number, step: number): number | null {
    const stepWithMoment = this._stepsWithMoment[cell].find(
      ([, index]) => index === step
    );
    return stepWithMoment?.[0] ?? null;
  }

  /** Return the position of the row that shows a step; -1 if there is no such row. */
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

  /**
   * Return the source of a cell after a step, and the origin of each line. If `step` is -1, return
   * the source before the first step, without origins.
   */
  sourceAt(
    cell: number,
    step: number
  ): { source: string; origins: readonly IOrigin[] } {
    const { steps, firstSource } = this.cells[cell];
    // The last of the steps up to `step` whose code was written into the cell.
    const appliedStep = steps
      .slice(0, step + 1)
      .filter(({ applied }) => applied)
      .at(-1);
    return {
      source: step < 0 ? firstSource : sourceAfter(steps[step]),
      origins: originsOf(appliedStep)
    };
  }

  /**
   * Return the last run of the source that the cell has after a step. Runs after the step are
   * ignored. Return null if the cell was not run after this source was written.
   */
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

  /** Return the nodes of a parsed Markdown source; null if the exporter didn't parse the source. */
  markdownOf(source: string): readonly MarkdownNode[] | null {
    return this._markdownBySource.get(source) ?? null;
  }

  /** The cells in the notebook after each moment. */
  private readonly _present: PlacedCell[][];
  /** The deleted cells after each moment. */
  private readonly _deleted: number[][];
  /** For each cell, its steps that belong to a moment, in the order of the moments. */
  private readonly _stepsWithMoment: [moment: number, step: number][][];
  private readonly _markdownBySource: Map<string, readonly MarkdownNode[]>;
}

/** Return the origin of each line of a step's code. */
export function originsOf(step: IPageStep | undefined): readonly IOrigin[] {
  return (step?.by ?? []).flatMap(([lineCount, origin, author, copiedFrom]) =>
    Array<IOrigin>(lineCount).fill({
      step: origin,
      author: AUTHORS[author],
      copiedFrom
    })
  );
}

/**
 * Apply the changes of a list in their order, and return the state of the list after each moment.
 */
function replayChanges<T>(
  changes: readonly ListChange<T>[],
  momentCount: number
): T[][] {
  const lists: T[][] = [];
  let list: T[] = [];
  let nextChange = 0;
  for (let moment = 0; moment < momentCount; moment++) {
    for (; changes[nextChange]?.[0] === moment; nextChange++) {
      const [, start, removedCount, inserted] = changes[nextChange];
      list = [
        ...list.slice(0, start),
        ...inserted,
        ...list.slice(start + removedCount)
      ];
    }
    lists.push(list);
  }
  return lists;
}
