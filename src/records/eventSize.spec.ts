import type { EventBody } from '../api/types';
import {
  MAX_EVENT_BYTES,
  MAX_SOURCE_LENGTH,
  fitToLimit,
  byteSize
} from './eventSize';
import { toRequestBodies } from '../history/model/requestBodies';
import { MAX_ORDERED_CELLS } from './limits';

const edit = (source: string, data = {}): EventBody => ({
  id: 'e',
  type: 'edit',
  timestamp: '2026-01-27T12:00:00.000Z',
  source,
  data
});

/** The largest body that the server accepts (`handlers/base.py`). */
const MAX_BODY = 3 * 1024 * 1024;

describe('event sizes', () => {
  it('are measured in bytes of the sent JSON', () => {
    for (const text of [
      '',
      'x',
      'é',
      '标',
      '📈',
      '\ud83d',
      '\u0000\n"',
      'a标é'
    ]) {
      const sent = Buffer.from(JSON.stringify({ text }), 'utf-8').length;
      expect(byteSize({ text })).toBe(sent);
    }
  });

  it.each([
    ['plain', 'x', MAX_SOURCE_LENGTH],
    ['escaped', '\u0000', Math.floor((MAX_EVENT_BYTES - 100) / 6)],
    ['of three bytes', '标', Math.floor((MAX_EVENT_BYTES - 100) / 3)]
  ])(
    'keep a source up to the limit, and record the length of a longer one: %s',
    (_, character, limit) => {
      for (const length of [limit - 1, limit]) {
        const event = edit(character.repeat(length));
        expect(fitToLimit(event)).toBe(event);
      }
      for (const length of [limit + 100, 3 * limit]) {
        const { source, data, ...rest } = fitToLimit(
          edit(character.repeat(length))
        );
        expect([source, data]).toEqual([undefined, { too_long: length }]);
        expect(rest).toMatchObject({ id: 'e', type: 'edit' });
      }
    }
  );

  it('drop the source that was replaced before the source that was restored', () => {
    const data = { from_seq: 3, replaced: '标'.repeat(500_000) };
    const { source, data: fitted } = fitToLimit(
      edit('标'.repeat(500_000), data)
    );
    expect(source).toHaveLength(500_000);
    expect(fitted).toEqual({ from_seq: 3, replaced_too_long: 500_000 });
  });

  it('drop the corrections of accepted code before the code', () => {
    const data = { corrections: ['a → b'], corrected: '标'.repeat(500_000) };
    const { source, data: fitted } = fitToLimit(
      edit('标'.repeat(500_000), { ...data, hunks: 1 })
    );
    expect(source).toHaveLength(500_000);
    expect(fitted).toEqual({ hunks: 1 });
  });

  it('split a change into bodies that the server accepts, without loss', () => {
    const order = Array.from({ length: MAX_ORDERED_CELLS }, (_, index) => ({
      id: `${index}`.padStart(64, '0'),
      type: 'markdown' as const
    }));
    const cells = ['x', '标'].flatMap((character, at) =>
      [250_000, 499_999, 500_000, 500_001, 790_000].map((length, index) => ({
        cellId: `${at}-${index}`,
        events: [edit(character.repeat(length)), edit('y')]
      }))
    );
    const bodies = toRequestBodies({ cells, order, saved: true });
    bodies.forEach(body => expect(byteSize(body)).toBeLessThan(MAX_BODY));
    const sent = bodies.flatMap(body => body.cells ?? []);
    const events = sent.flatMap(cell => cell.events ?? []);
    expect(events).toEqual(cells.flatMap(cell => cell.events));
    expect(bodies.at(-1)).toMatchObject({ order, saved: true });
    expect(bodies.filter(body => body.order || body.saved)).toHaveLength(1);
  });

  it('never send a truncated order', () => {
    const place = { id: 'a', type: 'code' as const };
    const order = Array.from({ length: MAX_ORDERED_CELLS + 1 }, () => place);
    const [body] = toRequestBodies({ cells: [], order });
    expect(body.order).toBeUndefined();
  });
});
