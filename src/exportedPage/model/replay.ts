/** The notebook through time: its cells, their steps, and which of them existed at a moment. Pure. */
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

/** The origin of a line. */
export interface IOrigin {
  readonly step: number | null;
  readonly author: Author;
  readonly copiedFrom?: CellStep;
}

export interface ICell {
  readonly id: string;
  readonly type: string;
  readonly isMerged: boolean;
  /** All steps; `index` and references refer to this list. */
  readonly steps: readonly IPageStep[];
  /** The steps as they are listed: with their runs. */
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
    this._newSteps = this.cells.map(() => []);
    moments.forEach(({ steps }, moment) => {
      steps.forEach(([cell, step]) =>
        this._newSteps[cell].push([moment, step])
      );
    });
    const trees = Object.entries(data.markdown);
    this._markdown = new Map(
      trees.map(([index, tree]) => [texts[Number(index)], tree])
    );
  }

  readonly cells: readonly ICell[];

  get lastMoment(): number {
    return this.data.moments.length - 1;
  }

  /** The cells in the notebook after a moment, in order. */
  presentAt(moment: number): readonly PlacedCell[] {
    return this._present[moment] ?? [];
  }

  /** The cells that were deleted by a moment. */
  deletedAt(moment: number): readonly number[] {
    return this._deleted[moment] ?? [];
  }

  /** The newest step of a cell after a moment; -1 if it had none yet. */
  stepAt(cell: number, moment: number): number {
    const newSteps = this._newSteps[cell];
    let last = newSteps.length - 1;
    while (last >= 0 && newSteps[last][0] > moment) {
      last--;
    }
    return newSteps[last]?.[1] ?? -1;
  }

  /** The moment at which a cell had its first step; null if none is known. */
  firstMoment(cell: number): number | null {
    return this._newSteps[cell][0]?.[0] ?? null;
  }

  /** The moment of a step; null if it has none. */
  momentOf(cell: number, step: number): number | null {
    return this._newSteps[cell].find(([, at]) => at === step)?.[0] ?? null;
  }

  /** The position of the row that shows a step; -1 if there is none. */
  rowOf(cell: number, step: number): number {
    return findPosition(this.cells[cell].rows, (_, index) => index === step);
  }

  /** The step of a row: its last one, apart from runs. */
  stepOf(cell: number, row: IShownStep): IPageStep {
    const index = row.parts?.at(-1)?.index ?? row.serverIndex ?? row.index;
    return this.cells[cell].steps[index];
  }

  /** The source of a cell after a step (-1: before the first), and the origins of its lines. */
  sourceAt(
    cell: number,
    step: number
  ): { source: string; origins: readonly IOrigin[] } {
    const { steps, firstSource } = this.cells[cell];
    let last = step;
    while (last >= 0 && !steps[last].applied) {
      last--;
    }
    const writer = steps[last];
    return {
      source: step < 0 ? firstSource : (writer?.code ?? ''),
      origins: originsOf(writer)
    };
  }

  /** The last run up to a step of the code that the cell contained after it. */
  lastRun(cell: number, step: number): IPageStep | null {
    const { steps } = this.cells[cell];
    for (let at = step; at >= 0; at--) {
      if (sourceAfter(steps[at]) !== sourceAfter(steps[step])) {
        break;
      }
      if (steps[at].kind === 'run') {
        return steps[at];
      }
    }
    return null;
  }

  /** The tree of a Markdown source; null if it is plain or was too large. */
  markdownOf(source: string): readonly MarkdownNode[] | null {
    return this._markdown.get(source) ?? null;
  }

  private readonly _present: PlacedCell[][];
  private readonly _deleted: number[][];
  /** Of each cell: the moments at which it had a new step, with that step. */
  private readonly _newSteps: [moment: number, step: number][][];
  private readonly _markdown: Map<string, readonly MarkdownNode[]>;
}

/** The origin of each line of a step's code. */
export function originsOf(step: IPageStep | undefined): readonly IOrigin[] {
  return (step?.by ?? []).flatMap(([lines, from, author, copiedFrom]) =>
    Array<IOrigin>(lines).fill({
      step: from,
      author: AUTHORS[author],
      copiedFrom
    })
  );
}

/** The list after each moment. */
function replayChanges<T>(
  changes: readonly ListChange<T>[],
  moments: number
): T[][] {
  const lists: T[][] = [];
  let list: T[] = [];
  let next = 0;
  for (let moment = 0; moment < moments; moment++) {
    for (; changes[next]?.[0] === moment; next++) {
      const [, start, removed, inserted] = changes[next];
      list = [
        ...list.slice(0, start),
        ...inserted,
        ...list.slice(start + removed)
      ];
    }
    lists.push(list);
  }
  return lists;
}
