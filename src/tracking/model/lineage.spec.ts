import { Happening, ICellState, happenings } from './lineage';

/** `a:text` is a code cell, `#a:text` a Markdown cell. */
function cells(...words: string[]): ICellState[] {
  return words.map(word => {
    const [, mark, id, source] = /^(#?)(\w+)(?::([^]*))?$/.exec(word)!;
    return { id, type: mark ? 'markdown' : 'code', source: source ?? id };
  });
}

function told(
  before: string[],
  after: string[],
  hints: { there?: string[]; remade?: string[] } = {}
): Happening[] {
  return happenings(cells(...before), cells(...after), {
    wasThere: id => hints.there?.includes(id) ?? false,
    originOf: () => null,
    remade: new Set(hints.remade)
  });
}

describe('happenings', () => {
  it('tells a split from an insertion', () => {
    expect(told(['a:1\n\n2\n3', 'b'], ['x:1', 'y:2', 'a:3', 'b'])).toEqual([
      { kind: 'split', from: 'a', pieces: ['x', 'y', 'a'] }
    ]);
    expect(told(['a:1'], ['x:1', 'a:'])).toEqual([
      { kind: 'split', from: 'a', pieces: ['x', 'a'] }
    ]);
    expect(told(['a:1'], ['x:', 'a:1'])).toEqual([{ kind: 'new', id: 'x' }]);
    expect(told(['a:1\n2'], ['x:0', 'a:2'])).toEqual(
      [
        { kind: 'edit', id: 'a' },
        { kind: 'new', id: 'x' }
      ].reverse()
    );
    expect(told(['a:1\n2'], ['#x:1', 'a:2'])).toHaveLength(2);
  });

  it('tells a merge from a replacement', () => {
    const merge = { kind: 'merge', into: 'x', parents: ['a', 'b'] };
    expect(told(['a:1', 'b:2', 'c'], ['x:1\n\n2', 'c'])).toEqual([
      { ...merge, isBack: false }
    ]);
    expect(told(['a:1', 'b:2'], ['x:1\n2'])).toMatchObject([merge]);
    expect(told(['a:1', 'b:2'], ['x:1\n2'], { there: ['x'] })).toEqual([
      { ...merge, isBack: true }
    ]);
    expect(told(['a:1', 'b:2'], ['x:'])).toEqual([
      { kind: 'delete', id: 'a', index: 0, after: null },
      { kind: 'delete', id: 'b', index: 1, after: null },
      { kind: 'new', id: 'x' }
    ]);
  });

  it('knows a cell that comes back', () => {
    expect(told(['a'], ['a', 'b'], { there: ['b'] })).toEqual([
      { kind: 'undelete', id: 'b', index: 1, after: 'a' }
    ]);
  });

  it('places cells that went or came together behind one that stayed', () => {
    expect(told(['a', 'b', 'c', 'd'], ['a', 'd'])).toEqual([
      { kind: 'delete', id: 'b', index: 1, after: 'a' },
      { kind: 'delete', id: 'c', index: 2, after: 'a' }
    ]);
    expect(
      told(['a', 'd'], ['a', 'd', 'b', 'c'], { there: ['b', 'c'] })
    ).toEqual([
      { kind: 'undelete', id: 'b', index: 2, after: 'd' },
      { kind: 'undelete', id: 'c', index: 3, after: 'd' }
    ]);
  });

  it('names the one that was moved, not those that it went past', () => {
    const move = { kind: 'move', from: 2, to: 0 };
    expect(told(['a', 'b', 'c'], ['c', 'a', 'b'], { remade: ['c'] })).toEqual([
      { ...move, id: 'c' }
    ]);
    expect(told(['a', 'b'], ['b', 'a'], { remade: ['a'] })).toEqual([
      { kind: 'move', id: 'a', from: 0, to: 1 }
    ]);
    expect(
      told(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c'], {
        remade: ['a', 'b', 'c']
      }).map(one => 'id' in one && one.id)
    ).toEqual(['a', 'b', 'c']);
    expect(told(['a', 'b', 'c'], ['c', 'a', 'b'])).toEqual([
      { ...move, id: 'c' }
    ]);
    expect(told(['a', 'b'], ['a', 'b'], { remade: ['a', 'b'] })).toEqual([]);
    expect(
      told(['a', 'b', 'c'], ['c', 'a', 'b'], { remade: ['a', 'b', 'c'] })
    ).toEqual([{ ...move, id: 'c' }]);
  });

  it('counts no move where cells only came or went', () => {
    expect(told(['a', 'b', 'c'], ['a', 'c'])).toEqual([
      { kind: 'delete', id: 'b', index: 1, after: 'a' }
    ]);
  });

  it('tells a change of the type, though the heading changes the source, too', () => {
    expect(told(['a:x'], ['#a:# x'], { remade: ['a'] })).toEqual([
      { kind: 'type', id: 'a', from: 'code', to: 'markdown' }
    ]);
  });
});
