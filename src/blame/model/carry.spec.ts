import type { BlameLine } from '../../api/types';
import { carry, UNNOTED } from './carry';

const by = (turnId: number): BlameLine => ({
  author: 'model',
  step: turnId,
  seq: turnId,
  turnId
});
const lines = [by(1), by(2), by(3)];
const source = 'a\nb\nc';
const turns = (now: string) =>
  carry(lines, source, now).map(line => line.turnId ?? null);

describe('carry', () => {
  it('keeps what stayed, and marks what is new', () => {
    expect(turns('a\nb\nc')).toEqual([1, 2, 3]);
    expect(turns('new\na\nb\nc')).toEqual([null, 1, 2, 3]);
    expect(turns('a\nb changed\nc')).toEqual([1, null, 3]);
    expect(turns('a\nb\nc\n')).toEqual([1, 2, 3, null]);
    expect(turns('a\nc')).toEqual([1, 3]);
    expect(turns('a\nx\ny\nc')).toEqual([1, null, null, 3]);
    expect(turns('')).toEqual([null]);
  });

  it('has an entry for each line, whatever the server sent', () => {
    expect(carry([], source, source)).toEqual([UNNOTED, UNNOTED, UNNOTED]);
    expect(carry([...lines, by(9)], source, source)).toEqual(lines);
  });

  it('tells many lines of their own apart, and is right about the middle', () => {
    const many = Array.from({ length: 3000 }, (_, i) => `line ${i}`);
    const owners = many.map((_, i) => by(i + 1));
    const now = [...many.slice(0, 1500), 'new', ...many.slice(1500)];
    const carried = carry(owners, many.join('\n'), now.join('\n'));
    expect(carried).toHaveLength(3001);
    expect(carried[1499].turnId).toBe(1500);
    expect(carried[1500]).toBe(UNNOTED);
    expect(carried[3000].turnId).toBe(3000);
  });
});
