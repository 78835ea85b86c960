import type { Step } from '../../../api/types';
import { stepsOf } from '../replay.fakes';
import { buildGraph, isBranching, parentOf, findTurnId } from './graph';

/** Steps that differ from accepted turns by `changes`. */
function steps(...changes: Partial<Step>[]): Step[] {
  return stepsOf(...changes.map((_, i) => `v${i}`)).map((step, i) => ({
    ...step,
    ...changes[i]
  }));
}

describe('the graph of the steps', () => {
  it('is one line without branches', () => {
    const { rows, columnCount } = buildGraph(steps({}, {}, {}));
    expect(columnCount).toBe(1);
    expect(rows).toEqual([
      {
        column: 0,
        passingColumns: [],
        hasLineFromAbove: false,
        columnsBelow: [0]
      },
      {
        column: 0,
        passingColumns: [],
        hasLineFromAbove: true,
        columnsBelow: [0]
      },
      {
        column: 0,
        passingColumns: [],
        hasLineFromAbove: true,
        columnsBelow: []
      }
    ]);
  });

  it('draws a line past the steps of an abandoned branch', () => {
    // 0 ── 1 ── 2 (abandoned), 0 ── 3.
    const { rows, columnCount } = buildGraph(
      steps({}, { column: 1 }, { column: 1 }, { parent: 0 })
    );
    expect(columnCount).toBe(2);
    expect([...rows[0].columnsBelow].sort()).toEqual([0, 1]);
    expect(rows[1]).toEqual({
      column: 1,
      passingColumns: [0],
      hasLineFromAbove: true,
      columnsBelow: [1]
    });
    expect(rows[2].passingColumns).toEqual([0]);
    expect(rows[2].columnsBelow).toEqual([]);
    expect(rows[3].hasLineFromAbove).toBe(true);
  });

  it('ignores invalid parents, and draws surplus branches in the last column', () => {
    const all = steps(
      { parent: null },
      { parent: 5 },
      { parent: 2, column: 99 }
    );
    expect(all.map(parentOf)).toEqual([null, null, null]);
    const { rows, columnCount } = buildGraph(all);
    expect(columnCount).toBe(4);
    expect(rows.every(row => !row.hasLineFromAbove)).toBe(true);
    expect(buildGraph([]).columnCount).toBe(1);
  });

  it('recognizes steps that don’t continue from the previous step', () => {
    const all = steps({}, {}, { parent: 0 });
    expect(all.map(isBranching)).toEqual([false, false, true]);
  });
});

describe('the turn that a version comes from', () => {
  it('is the turn itself, or that of the restored step or of the parent', () => {
    const all = steps(
      { kind: 'start', author: 'person' },
      { turnId: 1 },
      { kind: 'edit', author: 'person' },
      { turnId: 2, applied: false, outcome: 'rejected' },
      { kind: 'edit', author: 'person' },
      { kind: 'restore', author: 'person', fromStep: 3 },
      { kind: 'edit', author: 'person', parent: 0 }
    );
    expect(all.map(step => findTurnId(all, step))).toEqual([
      null,
      1,
      1,
      2,
      1,
      // The rejected answer was restored.
      2,
      null
    ]);
  });
});
