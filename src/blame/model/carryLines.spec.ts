import type { BlameLine } from '../../api/types';
import { carryLines, UNRECORDED } from './carryLines';

const by = (turnId: number): BlameLine => ({
  author: 'model',
  step: turnId,
  seq: turnId,
  turnId
});
const lines = [by(1), by(2), by(3)];
const source = 'a\nb\nc';
const turns = (text: string) =>
  carryLines(lines, source, text).map(line => line.turnId ?? null);

describe('carryLines', () => {
  it('keeps the contributors of unchanged lines, and marks new lines as unrecorded', () => {
    expect(turns('a\nb\nc')).toEqual([1, 2, 3]);
    expect(turns('new\na\nb\nc')).toEqual([null, 1, 2, 3]);
    expect(turns('a\nb changed\nc')).toEqual([1, null, 3]);
    expect(turns('a\nb\nc\n')).toEqual([1, 2, 3, null]);
    expect(turns('a\nc')).toEqual([1, 3]);
    expect(turns('a\nx\ny\nc')).toEqual([1, null, null, 3]);
    expect(turns('')).toEqual([null]);
  });

  it('returns one contributor per line for any result of the server', () => {
    expect(carryLines([], source, source)).toEqual([
      UNRECORDED,
      UNRECORDED,
      UNRECORDED
    ]);
    expect(carryLines([...lines, by(9)], source, source)).toEqual(lines);
  });

  it('compares thousands of distinct lines', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `line ${i}`);
    const entries = many.map((_, i) => by(i + 1));
    const edited = [...many.slice(0, 1500), 'new', ...many.slice(1500)];
    const result = carryLines(entries, many.join('\n'), edited.join('\n'));
    expect(result).toHaveLength(3001);
    expect(result[1499].turnId).toBe(1500);
    expect(result[1500]).toBe(UNRECORDED);
    expect(result[3000].turnId).toBe(3000);
  });
});
