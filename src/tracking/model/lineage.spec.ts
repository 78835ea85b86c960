import { CellOperation, ICellState, detectOperations } from './lineage';

/** `a:text` is a code cell, `#a:text` a Markdown cell. */
function cells(...words: string[]): ICellState[] {
  return words.map(word => {
    const [, mark, id, source] = /^(#?)(\w+)(?::([^]*))?$/.exec(word)!;
    return { id, type: mark ? 'markdown' : 'code', source: source ?? id };
  });
}

function detect(
  before: string[],
  after: string[],
  hints: { existing?: string[]; recreated?: string[] } = {}
): CellOperation[] {
  return detectOperations(cells(...before), cells(...after), {
    existedBefore: id => hints.existing?.includes(id) ?? false,
    originOf: () => null,
    recreated: new Set(hints.recreated)
  });
}

describe('detectOperations', () => {
  it('distinguishes a split from an insertion', () => {
    expect(detect(['a:1\n\n2\n3', 'b'], ['x:1', 'y:2', 'a:3', 'b'])).toEqual([
      { kind: 'split', from: 'a', pieces: ['x', 'y', 'a'] }
    ]);
    expect(detect(['a:1'], ['x:1', 'a:'])).toEqual([
      { kind: 'split', from: 'a', pieces: ['x', 'a'] }
    ]);
    expect(detect(['a:1'], ['x:', 'a:1'])).toEqual([{ kind: 'new', id: 'x' }]);
    expect(detect(['a:1\n2'], ['x:0', 'a:2'])).toEqual(
      [
        { kind: 'edit', id: 'a' },
        { kind: 'new', id: 'x' }
      ].reverse()
    );
    expect(detect(['a:1\n2'], ['#x:1', 'a:2'])).toHaveLength(2);
  });

  it('distinguishes a merge from a replacement', () => {
    const merge = { kind: 'merge', into: 'x', parents: ['a', 'b'] };
    expect(detect(['a:1', 'b:2', 'c'], ['x:1\n\n2', 'c'])).toEqual([
      { ...merge, isRestored: false }
    ]);
    expect(detect(['a:1', 'b:2'], ['x:1\n2'])).toMatchObject([merge]);
    expect(detect(['a:1', 'b:2'], ['x:1\n2'], { existing: ['x'] })).toEqual([
      { ...merge, isRestored: true }
    ]);
    expect(detect(['a:1', 'b:2'], ['x:'])).toEqual([
      { kind: 'delete', id: 'a', index: 0, after: null },
      { kind: 'delete', id: 'b', index: 1, after: null },
      { kind: 'new', id: 'x' }
    ]);
  });

  it('recognizes a restored cell', () => {
    expect(detect(['a'], ['a', 'b'], { existing: ['b'] })).toEqual([
      { kind: 'undelete', id: 'b', index: 1, after: 'a' }
    ]);
  });

  it('positions deleted and restored cells after an existing one', () => {
    expect(detect(['a', 'b', 'c', 'd'], ['a', 'd'])).toEqual([
      { kind: 'delete', id: 'b', index: 1, after: 'a' },
      { kind: 'delete', id: 'c', index: 2, after: 'a' }
    ]);
    expect(
      detect(['a', 'd'], ['a', 'd', 'b', 'c'], { existing: ['b', 'c'] })
    ).toEqual([
      { kind: 'undelete', id: 'b', index: 2, after: 'd' },
      { kind: 'undelete', id: 'c', index: 3, after: 'd' }
    ]);
  });

  it('reports the moved cell, not the cells that it passed', () => {
    const move = { kind: 'move', from: 2, to: 0 };
    expect(
      detect(['a', 'b', 'c'], ['c', 'a', 'b'], { recreated: ['c'] })
    ).toEqual([{ ...move, id: 'c' }]);
    expect(detect(['a', 'b'], ['b', 'a'], { recreated: ['a'] })).toEqual([
      { kind: 'move', id: 'a', from: 0, to: 1 }
    ]);
    expect(
      detect(['a', 'b', 'c', 'd'], ['d', 'a', 'b', 'c'], {
        recreated: ['a', 'b', 'c']
      }).map(operation => 'id' in operation && operation.id)
    ).toEqual(['a', 'b', 'c']);
    expect(detect(['a', 'b', 'c'], ['c', 'a', 'b'])).toEqual([
      { ...move, id: 'c' }
    ]);
    expect(detect(['a', 'b'], ['a', 'b'], { recreated: ['a', 'b'] })).toEqual(
      []
    );
    expect(
      detect(['a', 'b', 'c'], ['c', 'a', 'b'], { recreated: ['a', 'b', 'c'] })
    ).toEqual([{ ...move, id: 'c' }]);
  });

  it('reports no move for insertions and deletions', () => {
    expect(detect(['a', 'b', 'c'], ['a', 'c'])).toEqual([
      { kind: 'delete', id: 'b', index: 1, after: 'a' }
    ]);
  });

  it('reports a change of type even if a heading changes the source', () => {
    expect(detect(['a:x'], ['#a:# x'], { recreated: ['a'] })).toEqual([
      { kind: 'type', id: 'a', from: 'code', to: 'markdown' }
    ]);
  });
});
