import type { Step } from '../api/types';
import { runStep, stepsOf } from '../replay/model/replay.fakes';
import { foldRuns } from './fold';
import {
  executionCountOf,
  durationOf,
  findLastWorking,
  outputOf,
  lastRunOf
} from './runs';

const SHA = 'cd'.repeat(32);
const run = (data: object) => runStep([], data);

/** `a = 0` failed, then ran without an error. `a = 1` never ran. `a = 2` wasn't accepted. */
function history(): Step[] {
  const [base, first, two] = stepsOf('a = 0', 'a = 1', 'a = 2');
  const ran = { ...runStep([base]), index: 1, seq: 2 };
  return [
    base,
    { ...ran, outcome: 'error' as const, error: 'NameError: b' },
    { ...ran, index: 2, seq: 3 },
    { ...first, index: 3, seq: 4 },
    { ...two, index: 4, seq: 5, before: 'a = 1', applied: false }
  ];
}

describe('the run of a version', () => {
  it('is the last one before the cell’s source changed', () => {
    const runs = foldRuns(history()).map(step => lastRunOf(step)?.index);
    expect(runs).toEqual([2, undefined, undefined]);
  });

  it('includes the last one without an error', () => {
    expect(findLastWorking(foldRuns(history()))).toBe(0);
    expect(findLastWorking(foldRuns(history().slice(0, 2)))).toBeNull();
  });
});

describe('the data of a run', () => {
  it('is validated part by part', () => {
    const image = { sha256: SHA, mime: 'image/png', width: 4, height: 3 };
    const outputs = {
      text: 'out',
      truncated: true,
      images: [
        image,
        { ...image, sha256: 'x' },
        { ...image, mime: 'text/html' },
        { ...image, width: '4' },
        { ...image, height: -1 },
        null
      ]
    };
    expect(outputOf(run({ outputs }))).toEqual({
      text: 'out',
      truncated: true,
      images: [{ sha256: SHA, width: 4, height: 3 }]
    });
  });

  it.each([undefined, null, 'text', [], {}, { text: 3 }, { images: {} }])(
    'has no output if it is invalid: %j',
    outputs => {
      expect(outputOf(run({ outputs }))).toBeNull();
    }
  );

  it('has a valid execution count and duration or none', () => {
    const good = run({ duration_ms: 12.5, execution_count: 3 });
    expect([durationOf(good), executionCountOf(good)]).toEqual([12.5, 3]);
    const bad = run({ duration_ms: -1, execution_count: '3' });
    expect([durationOf(bad), executionCountOf(bad)]).toEqual([null, null]);
  });
});
