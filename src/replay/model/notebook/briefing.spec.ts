import fc from 'fast-check';

import type { Moment } from '../../../api/types';
import {
  findBriefing,
  IBriefing,
  MAX_ITEMS,
  PERIOD_PAUSE_MS
} from './briefing';

/** Thursday. */
const NOW = new Date(2026, 2, 19, 10, 0);

/** Return the timestamp of a local time: so many days ago, at an hour and a minute. */
const ago = (days: number, hour = 15, minute = 0) =>
  new Date(2026, 2, 19 - days, hour, minute).toISOString();

type Part = Partial<Moment> & { timestamp: string };

const turn = (timestamp: string, title: string, more: Partial<Moment> = {}) =>
  ({ timestamp, title, kind: 'turn', author: 'model', ...more }) as Part;
const run = (timestamp: string, outcome: Moment['outcome'], cellId = 'a') =>
  ({ timestamp, kind: 'run', outcome, cellId }) as Part;

const momentsOf = (parts: readonly Part[]): Moment[] =>
  parts.map((part, index) => ({
    index,
    kind: 'edit',
    cellId: 'a',
    step: index,
    author: 'person',
    outcome: part.kind === 'turn' ? 'accepted' : 'done',
    title: '',
    saved: false,
    ...part
  }));

const briefingOf = (
  parts: readonly Part[],
  { now = NOW, deleted = [] as string[] } = {}
): IBriefing | null =>
  findBriefing(momentsOf(parts), cellId => !deleted.includes(cellId), now);

const titles = (items: IBriefing['finished'] = []) =>
  items.map(({ title, moment }) => title || `run of ${moment.cellId}`);

describe('the last time', () => {
  it.each<[string, string[], string | null]>([
    ['nothing', [], null],
    ['days ago', [ago(9), ago(5), ago(5, 16)], ago(5, 16)],
    ['an edit today hides nothing', [ago(5), ago(0, 9, 55)], ago(5)],
    ['work this morning hides nothing', [ago(5), ago(0, 1)], ago(5)],
    ['only today, before a pause', [ago(0, 1), ago(0, 9, 55)], ago(0, 1)],
    ['only the present', [ago(0, 9), ago(0, 9, 55)], null],
    ['past midnight', [ago(3), ago(1, 23), ago(0, 1, 30)], ago(0, 1, 30)],
    ['a night of work that continues', [ago(1, 23), ago(0, 2), ago(0, 6)], null]
  ])('%s', (_, timestamps, end) => {
    const briefing = briefingOf(timestamps.map(timestamp => ({ timestamp })));
    expect(briefing?.end.toISOString() ?? null).toBe(end);
  });

  it('lasts until a pause of more than four hours', () => {
    const briefing = briefingOf([
      turn(ago(6, 7, 59), 'other'),
      turn(ago(6, 12), 'first'),
      turn(ago(6, 16), 'second', { cellId: 'b' })
    ]);
    expect(titles(briefing?.finished)).toEqual(['second', 'first']);
  });

  it.each<[string, Partial<Moment>]>([
    ['programs', { author: 'program' }],
    ['unknown contributors', { author: 'unknown' }],
    ['the first observation', { kind: 'start', author: 'unknown' }],
    ['an order of cells', { kind: 'order', cellId: null, author: 'unknown' }],
    ['Ask again', { kind: 'turn', author: 'model', outcome: 'repeated' }]
  ])('is not about changes by %s', (_, more) => {
    const parts = [turn(ago(5), 'mine'), { timestamp: ago(2), ...more }];
    expect(briefingOf(parts)?.end.toISOString()).toBe(ago(5));
    expect(briefingOf(parts.slice(1))).toBeNull();
  });

  it.each<[string, string[], string | null]>([
    ['no time at all', ['', 'soon'], null],
    ['all in the future', [ago(-3), ago(-400)], null],
    ['an invalid time between', [ago(5), 'soon', ago(5, 16)], ago(5, 16)],
    ['an invalid time at first', ['soon', ago(5)], ago(5)],
    ['one in the future', [ago(5), ago(-900), ago(5, 17)], ago(5, 17)],
    ['a clock that was set back', [ago(5), ago(9), ago(5, 16)], ago(5, 16)],
    ['a server some minutes ahead', [ago(5), ago(0, 10, 20)], ago(5)],
    ['an old clock at first', ['1970-01-01T00:00:00Z', ago(5)], ago(5)]
  ])('with odd timestamps: %s', (_, timestamps, end) => {
    const briefing = briefingOf(timestamps.map(timestamp => ({ timestamp })));
    expect(briefing?.end.toISOString() ?? null).toBe(end);
  });
});

describe('what is unfinished', () => {
  const open = { outcome: 'open' } as const;
  const failed = { outcome: 'error' } as const;

  it.each<[string, Part[], string[], string[]]>([
    ['no decision', [turn(ago(5), 'x', open)], ['x'], []],
    ['a failure', [turn(ago(5), 'x', failed)], ['x'], []],
    ['rejected', [turn(ago(5), 'x', { outcome: 'rejected' })], [], ['x']],
    ['stopped', [turn(ago(5), 'x', { outcome: 'cancelled' })], [], ['x']],
    [
      'repeated after a failure',
      [turn(ago(5), 'x', failed), turn(ago(5), 'x')],
      [],
      ['x']
    ],
    [
      'accepted, then asked in vain',
      [turn(ago(5), 'x'), turn(ago(5), 'x', failed)],
      [],
      ['x']
    ],
    [
      'refined',
      [turn(ago(5), 'x', { outcome: 'refined' }), turn(ago(5), 'y', open)],
      ['x'],
      []
    ],
    [
      'replaced by another request',
      [turn(ago(5), 'x', open), turn(ago(5), 'y')],
      [],
      ['y', 'x']
    ],
    [
      'repeated today',
      [turn(ago(5), 'x', failed), turn(ago(0, 9), 'x')],
      [],
      ['x']
    ],
    [
      'asked again, of another model',
      [turn(ago(5), 'x', open), turn(ago(0, 9), 'x', { outcome: 'repeated' })],
      ['x'],
      []
    ],
    ['a failed run', [run(ago(5), 'error')], ['run of a'], []],
    ['a later run', [run(ago(5), 'error'), run(ago(5), 'done')], [], []],
    ['a run today', [run(ago(5), 'error'), run(ago(0, 9), 'done')], [], []],
    [
      'a run that was stopped today',
      [run(ago(5), 'error'), run(ago(0, 9), 'cancelled')],
      ['run of a'],
      []
    ],
    ['a failure today', [run(ago(5), 'done'), run(ago(0, 9), 'error')], [], []],
    [
      'one line for each cell',
      [
        turn(ago(5), 'x', open),
        run(ago(5), 'error'),
        run(ago(5), 'error', 'b')
      ],
      ['run of b', 'x'],
      []
    ]
  ])('%s', (_, parts, unfinished, finished) => {
    const briefing = briefingOf(parts);
    expect(titles(briefing?.unfinished)).toEqual(unfinished);
    expect(titles(briefing?.finished)).toEqual(finished);
  });

  it('is nothing in deleted cells', () => {
    const parts = [turn(ago(5), 'x', open), run(ago(5), 'error', 'b')];
    const briefing = briefingOf(parts, { deleted: ['a', 'b'] });
    expect(briefing?.unfinishedCount).toBe(0);
    expect(titles(briefing?.finished)).toEqual(['x']);
  });

  it('links to the step with the outcome', () => {
    const briefing = briefingOf([
      turn(ago(5), 'x', { outcome: 'refined' }),
      turn(ago(5), 'bluer', { outcome: 'accepted' }),
      turn(ago(5), 'x', { cellId: 'b', ...open })
    ]);
    expect(briefing?.finished[0]).toMatchObject({
      title: 'x',
      moment: { cellId: 'a', step: 1, outcome: 'accepted' }
    });
    expect(briefing?.requestCount).toBe(2);
  });
});

describe('the counts of cells', () => {
  it('count each cell once, and new cells only as added', () => {
    const existing = ['a', 'b', 'x'].map(cellId => ({ cellId, step: 0 }));
    const briefing = briefingOf(
      [
        {
          timestamp: ago(9),
          kind: 'order',
          cellId: null,
          author: 'unknown',
          furtherSteps: existing
        },
        { timestamp: ago(5), cellId: 'a' },
        { timestamp: ago(5), cellId: 'a' },
        { timestamp: ago(5), cellId: 'new' },
        turn(ago(5), 'make', { cellId: 'asked' }),
        {
          timestamp: ago(5),
          kind: 'copy',
          cellId: 'p',
          furtherSteps: [{ cellId: 'q', step: 0 }]
        },
        { timestamp: ago(5), cellId: 'short' },
        {
          timestamp: ago(5),
          kind: 'delete',
          cellId: 'x',
          furtherSteps: [{ cellId: 'short', step: 1 }]
        },
        { timestamp: ago(5), kind: 'move', cellId: 'b' },
        run(ago(5), 'done'),
        run(ago(5), 'done')
      ],
      { deleted: ['x', 'short'] }
    );
    expect(briefing).toMatchObject({
      editedCount: 2, // `a`, and `short` before it was deleted
      addedCount: 4,
      deletedCount: 2,
      runCount: 1,
      requestCount: 1
    });
  });
});

describe('any history', () => {
  const time = fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: -40 * 24, max: 48 }) },
    fc.constant(NaN)
  );
  const part = fc.record({
    hours: time,
    kind: fc.constantFrom('turn', 'run', 'edit', 'delete', 'start', 'order'),
    author: fc.constantFrom('person', 'model', 'program', 'unknown'),
    outcome: fc.constantFrom('open', 'error', 'accepted', 'refined', 'done'),
    cellId: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', null),
    title: fc.constantFrom('x', 'y', 'z', '')
  });

  it('has bounded lists, complete counts and a period before now', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), parts => {
        const moments = parts.map(({ hours, ...more }) => ({
          ...more,
          timestamp: Number.isNaN(hours)
            ? 'no time'
            : new Date(NOW.getTime() + hours * 3_600_000).toISOString()
        }));
        const briefing = briefingOf(moments as Part[]);
        if (!briefing) {
          return;
        }
        const { unfinished, finished } = briefing;
        expect(NOW.getTime() - briefing.end.getTime()).toBeGreaterThan(
          PERIOD_PAUSE_MS
        );
        for (const [items, count] of [
          [unfinished, briefing.unfinishedCount],
          [finished, briefing.finishedCount]
        ] as const) {
          expect(items).toHaveLength(Math.min(count, MAX_ITEMS));
          const indexes = items.map(({ moment }) => moment.index);
          expect(indexes).toEqual([...indexes].sort((a, b) => b - a));
        }
        const unfinishedCells = unfinished.map(({ moment }) => moment.cellId);
        expect(new Set(unfinishedCells).size).toBe(unfinishedCells.length);
        const runs = unfinished.filter(({ moment }) => moment.kind === 'run');
        if (briefing.unfinishedCount <= MAX_ITEMS) {
          expect(briefing.requestCount).toBe(
            briefing.finishedCount + unfinished.length - runs.length
          );
        }
      })
    );
  });
});
