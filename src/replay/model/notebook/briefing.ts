/**
 * The briefing of a notebook: a summary of the person's last work in it before the present, which is
 * the working period that is still going on, and all that began today, unless there are no others.
 *
 * Invariants:
 * - A moment whose timestamp is invalid, in the future, or earlier than that of the moment before it
 *   has the time of the moment before it.
 * - Each list has at most `MAX_ITEMS` items; the counts are complete.
 * - Only what is still unfinished now is listed as unfinished, and only one item for each cell.
 */
import type { Moment, TimelineCell } from '../../../api/types';
import { daysBetween } from '../../../labels/time';

export const MAX_ITEMS = 5;
/** A pause of more than this many milliseconds ends a working period. */
export const PERIOD_PAUSE_MS = 4 * 60 * 60_000;
/** The clocks of the server and the browser may differ by this many milliseconds. */
const MAX_CLOCK_SKEW_MS = 60 * 60_000;

/** The kinds of moments whose cell is new if it had no earlier moment. */
const ADDING_KINDS = ['turn', 'edit', 'split', 'copy'];

type CellMoment = Moment & { readonly cellId: string; readonly step: number };

export interface IBriefingItem {
  readonly title: string;
  readonly moment: CellMoment;
}

export interface IBriefing {
  /** The time of the last moment of the working period. */
  readonly end: Date;
  /** Requests without a decision, failed requests and failed runs, the newest first. */
  readonly unfinished: readonly IBriefingItem[];
  readonly unfinishedCount: number;
  readonly finished: readonly IBriefingItem[];
  readonly finishedCount: number;
  /** The number of all requests. A request with its repetitions and refinements counts once. */
  readonly requestCount: number;
  /** The numbers of cells that were edited by hand, added (unless they are empty), deleted, run. */
  readonly editedCount: number;
  readonly addedCount: number;
  readonly deletedCount: number;
  readonly runCount: number;
}

interface IPeriod {
  readonly moments: Moment[];
  readonly begin: number;
  end: number;
}

/** A request, with the turns that repeat or refine it. */
interface IRequest {
  readonly title: string;
  /** The turn with the outcome of the request: the accepted one, or else the newest one. */
  moment: CellMoment;
  newest: CellMoment;
}

export function isInNotebook(cell: TimelineCell | null | undefined): boolean {
  return !!cell && !cell.deleted && cell.mergedInto === null;
}

export function findBriefing(
  moments: readonly Moment[],
  isPresent: (cellId: string) => boolean,
  now: Date
): IBriefing | null {
  const period = lastPeriod(moments, now);
  if (!period) {
    return null;
  }
  const requests = requestsOf(period.moments);
  const lastTurns = lastByCell(stepsOfKind(moments, 'turn'));
  const openRequests = requests.filter(
    ({ moment, newest }) =>
      (moment.outcome === 'open' || moment.outcome === 'error') &&
      lastTurns.get(newest.cellId) === newest &&
      isPresent(newest.cellId)
  );
  const cellsWithRequest = new Set(
    openRequests.map(({ moment }) => moment.cellId)
  );
  const failedRuns = failedRunsOf(period.moments, moments).filter(
    ({ cellId }) => isPresent(cellId) && !cellsWithRequest.has(cellId)
  );
  const unfinished = newestFirst([
    ...openRequests,
    ...failedRuns.map(moment => ({ title: '', moment }))
  ]);
  const finished = newestFirst(
    requests.filter(request => !openRequests.includes(request))
  );
  const cellsOf = (kind: Moment['kind']) => {
    const ofKind = period.moments.filter(each => each.kind === kind);
    return [...new Set(ofKind.flatMap(cellIdsOf))];
  };
  const added = newCells(period.moments, moments);
  return {
    end: new Date(period.end),
    unfinished: unfinished.slice(0, MAX_ITEMS),
    unfinishedCount: unfinished.length,
    finished: finished.slice(0, MAX_ITEMS),
    finishedCount: finished.length,
    requestCount: requests.length,
    editedCount: cellsOf('edit').filter(id => !(added.has(id) && isPresent(id)))
      .length,
    addedCount: [...added].filter(isPresent).length,
    deletedCount: cellsOf('delete').filter(id => !isPresent(id)).length,
    runCount: cellsOf('run').length
  };
}

/** Return the last period before the present; one that began today only if there is no other. */
function lastPeriod(moments: readonly Moment[], now: Date): IPeriod | null {
  const earlier = periodsOf(moments, now).filter(
    ({ end }) => now.getTime() - end > PERIOD_PAUSE_MS
  );
  const beforeToday = earlier.filter(
    ({ begin }) => daysBetween(new Date(begin), now) > 0
  );
  return beforeToday.at(-1) ?? earlier.at(-1) ?? null;
}

function periodsOf(moments: readonly Moment[], now: Date): IPeriod[] {
  const work = moments.filter(({ kind, author, outcome }) =>
    kind === 'turn' ? outcome !== 'repeated' : author === 'person'
  );
  const times = work.map(({ timestamp }) => {
    const time = Date.parse(timestamp);
    const isPast = time - now.getTime() <= MAX_CLOCK_SKEW_MS;
    return isPast ? Math.min(time, now.getTime()) : NaN;
  });
  // The times never decrease.
  let latest = times.find(time => !Number.isNaN(time));
  const periods: IPeriod[] = [];
  work.forEach((moment, index) => {
    if (latest === undefined) {
      return;
    }
    latest = times[index] > latest ? times[index] : latest;
    const last = periods.at(-1);
    if (last && latest - last.end <= PERIOD_PAUSE_MS) {
      last.moments.push(moment);
      last.end = latest;
    } else {
      periods.push({ moments: [moment], begin: latest, end: latest });
    }
  });
  return periods;
}

/** Return the steps of a kind, without requests of “Ask again”. */
function stepsOfKind(
  moments: readonly Moment[],
  kind: Moment['kind']
): CellMoment[] {
  return moments.filter(
    (moment): moment is CellMoment =>
      moment.kind === kind &&
      moment.cellId !== null &&
      moment.step !== null &&
      moment.outcome !== 'repeated'
  );
}

function lastByCell(moments: readonly CellMoment[]): Map<string, CellMoment> {
  return new Map(moments.map(moment => [moment.cellId, moment]));
}

function requestsOf(moments: readonly Moment[]): IRequest[] {
  const requests: IRequest[] = [];
  const newestByCell = new Map<string, IRequest>();
  for (const turn of stepsOfKind(moments, 'turn')) {
    const previous = newestByCell.get(turn.cellId);
    const continues =
      previous?.newest.title === turn.title ||
      previous?.newest.outcome === 'refined';
    if (previous && continues) {
      previous.newest = turn;
      if (previous.moment.outcome !== 'accepted') {
        previous.moment = turn;
      }
    } else {
      const request = { title: turn.title, moment: turn, newest: turn };
      requests.push(request);
      newestByCell.set(turn.cellId, request);
    }
  }
  return requests;
}

/** Return the last runs in a period that failed, of cells that haven't run without an error since. */
function failedRunsOf(
  moments: readonly Moment[],
  allMoments: readonly Moment[]
): CellMoment[] {
  const lastRuns = (all: readonly Moment[]) =>
    lastByCell(
      stepsOfKind(all, 'run').filter(({ outcome }) => outcome !== 'cancelled')
    );
  const newestRuns = lastRuns(allMoments);
  return [...lastRuns(moments).values()].filter(
    ({ cellId, outcome }) =>
      outcome === 'error' && newestRuns.get(cellId)?.outcome === 'error'
  );
}

function newestFirst(items: readonly IBriefingItem[]): IBriefingItem[] {
  return [...items].sort((a, b) => b.moment.index - a.moment.index);
}

function cellIdsOf({ cellId, furtherSteps = [] }: Moment): string[] {
  return [cellId, ...furtherSteps.map(step => step.cellId)].filter(
    id => id !== null
  );
}

/** Return the cells that got their first content in the period. */
function newCells(
  moments: readonly Moment[],
  allMoments: readonly Moment[]
): Set<string> {
  const firstMoments = new Map<string, Moment>();
  for (const moment of [...allMoments].reverse()) {
    cellIdsOf(moment).forEach(cellId => firstMoments.set(cellId, moment));
  }
  const inPeriod = new Set(moments);
  const added = [...firstMoments].filter(
    ([, first]) => ADDING_KINDS.includes(first.kind) && inPeriod.has(first)
  );
  return new Set(added.map(([cellId]) => cellId));
}
