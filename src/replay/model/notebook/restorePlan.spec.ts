import type { ICell, IOutput } from '@jupyterlab/nbformat';
import * as fc from 'fast-check';

import type { CellSnapshot } from '../../../api/types';
import { type IPresentCell, planRestore } from './restorePlan';

type Text = [id: string, source: string, type?: string];

const PEM = ['BEGIN', 'END']
  .map(word => `-----${word} PRIVATE KEY-----`)
  .join('\nMIIB/aa+\n');

const present = ([id, source, type = 'code']: Text): IPresentCell => {
  const content = { id, cell_type: type, source, metadata: { tags: [id] } };
  const outputs = type === 'code' ? { outputs: [], execution_count: 1 } : {};
  const digest = `digest of ${source}`;
  return { id, source, digest, content: { ...content, ...outputs } as ICell };
};
const recorded = ([cellId, source, type = 'code']: Text): CellSnapshot => ({
  ...{ cellId, source, type, step: 0, changed: false }
});
const planOf = (
  now: readonly Text[],
  then: readonly CellSnapshot[],
  outputs: Record<string, object[]> = {}
) =>
  planRestore(
    now.map(present),
    then,
    () => false,
    async ({ cellId, type, source }) => ({
      ...present([cellId, source, type]).content,
      ...(type === 'code' && { outputs: (outputs[cellId] ?? []) as IOutput[] })
    })
  );
const plan = (
  now: readonly Text[],
  then: readonly Text[],
  outputs?: Record<string, object[]>
) => planOf(now, then.map(recorded), outputs);

describe('planRestore', () => {
  it('changes, brings back, removes and moves cells', async () => {
    const now: Text[] = [
      ['new', ''],
      ['d', '4'],
      ['a', 'one'],
      ['c', '3']
    ];
    const then: Text[] = [
      ['a', '1'],
      ['b', '2'],
      ['c', '3'],
      ['d', '4']
    ];
    const text = { output_type: 'stream', name: 'stdout', text: '2' };
    const { operations, counts, cells } = await plan(now, then, { b: [text] });
    expect(counts).toEqual({ changed: 1, returned: 1, removed: 1, moved: 1 });
    expect(operations).toEqual([
      { op: 'delete', cell: 'new', base: 'digest of ' },
      { op: 'edit', cell: 'a', base: 'digest of one', source: '1' },
      {
        ...{ op: 'insert', cell: 'b', type: 'code', source: '2', after: 'a' },
        content: expect.objectContaining({ outputs: [text] })
      },
      { op: 'move', cell: 'd', after: 'c' }
    ]);
    expect(cells.map(({ id, source }) => [id, source])).toEqual(then);
    expect(cells[0].metadata).toEqual({ tags: ['a'] });
  });

  it('changes the type or the outputs of a cell, which keeps its metadata', async () => {
    const content = { metadata: { tags: ['a'] } };
    const { operations, counts } = await plan(
      [['a', 'x']],
      [['a', 'x', 'markdown']]
    );
    expect(counts).toMatchObject({ changed: 1, removed: 0, returned: 0 });
    expect(operations).toMatchObject([
      { op: 'delete', cell: 'a' },
      { op: 'insert', type: 'markdown', content }
    ]);
    const outputs = [{ output_type: 'stream', name: 'stdout', text: 'x' }];
    const other = await plan([['a', 'y']], [['a', 'x']], { a: outputs });
    expect(other.operations).toMatchObject([
      { op: 'delete', cell: 'a' },
      { op: 'insert', source: 'x', content: { ...content, outputs } }
    ]);
  });

  it.each([
    ['k = "secret"', 'k = "‹redacted:password›"', true],
    ['k = 1, 22, 3', 'k = ‹redacted:a›, ‹redacted:b:7›, 3', true],
    ['k = "secret"\nx', 'k = "‹redacted:password›"', false],
    ['k = "a"\nx = "b"', 'k = "‹redacted:password›"', false],
    ['a = "k"\nb = "k"', 'a = "‹redacted:a›"\nb = "‹redacted:a›"', true],
    [`a\nk = "${PEM}"`, 'a\nk = "‹redacted:private-key›"', true],
    ['k = 1', 'k = ‹redacted:a›1, ‹redacted:b›1', false]
  ])('compares %j with the marks in %j', async (source, mark, isSame) => {
    const { operations } = await plan([['a', source]], [['a', mark]]);
    expect(operations).toHaveLength(isSame ? 0 : 1);
  });

  it.each([
    ['k = "s"\nx = 2', 'k = "‹redacted:a›"\nx = 1', 'k = "s"\nx = 1'],
    [`x\nk = "${PEM}"`, 'k = "‹redacted:private-key›"', `k = "${PEM}"`],
    ['f("a")\nf("b")', 'f("‹redacted:a›")', null],
    ['f("a")', 'f("‹redacted:a›")\nf("‹redacted:a›")', null]
  ])('puts the keys of %j into %j', async (source, mark, result) => {
    const { operations, redacted } = await plan([['a', source]], [['a', mark]]);
    expect(operations).toMatchObject([{ op: 'edit', source: result ?? mark }]);
    expect(redacted).toBe(result === null ? 1 : 0);
  });

  it('leaves cells as they are whose source was too large to be recorded', async () => {
    const then = ['a', 'b'].map(id => ({ ...recorded([id, '']), missing: 9 }));
    const { operations, missing } = await planOf([['a', 'long']], then);
    expect([operations, missing]).toEqual([[], 2]);
  });

  it('counts a deleted raw cell as missing, because raw cells aren’t recorded', async () => {
    const then = ['raw', 'code'].map(type => ({
      ...recorded([type, '', type]),
      step: null
    }));
    const { operations, missing } = await planOf([], then);
    expect([operations, missing]).toEqual([[], 1]);
  });

  it('orders any cells as they were', async () => {
    const ids = fc.uniqueArray(fc.constantFrom(...'abcdefgh'));
    await fc.assert(
      fc.asyncProperty(ids, ids, async (now, then) => {
        const { operations } = await plan(
          now.map(id => [id, id]),
          then.map(id => [id, id])
        );
        const order = [...now];
        for (const operation of operations) {
          const { cell } = operation;
          if (operation.op !== 'insert') {
            order.splice(order.indexOf(cell), 1);
          }
          if ('after' in operation) {
            const { after } = operation;
            order.splice(
              after === null ? 0 : order.indexOf(after) + 1,
              0,
              cell
            );
          }
        }
        expect(order).toEqual(then);
      })
    );
  });
});
