import type { Step } from '../api/types';
import { FakeHistory, runStep, stepsOf } from '../replay/model/replay.fakes';
import { recordedCell } from './recordedCell';

const SHA256 = 'ab'.repeat(32);
const IMAGE = { sha256: SHA256, mime: 'image/png', width: 2, height: 2 };

function historyWith(...outputs: object[]): FakeHistory {
  const history = new FakeHistory();
  const steps: Step[] = stepsOf('a = 1');
  outputs.forEach(output => steps.push(runStep(steps, { outputs: output })));
  history.steps.set('a', steps);
  history.blobs.set(SHA256, new Blob(['abc'], { type: 'image/png' }));
  return history;
}

async function outputsOf(
  { api }: FakeHistory,
  source: string,
  lastStep?: number
) {
  const cell = { cellId: 'a', type: 'code', source, step: 0, changed: false };
  return (await recordedCell(api, 'nb', cell, lastStep)).outputs;
}

const stream = (text: string) => ({
  ...{ output_type: 'stream', name: 'stdout', text }
});

describe('recordedCell', () => {
  it('returns the text and the images of the last run (P54)', async () => {
    const history = historyWith(
      { text: 'old' },
      { text: 'new', truncated: true, images: [IMAGE] }
    );
    expect(await outputsOf(history, 'a = 1')).toEqual([
      stream('new\n…'),
      {
        output_type: 'display_data',
        data: { 'image/png': 'YWJj' },
        metadata: {}
      }
    ]);
    expect(await outputsOf(history, 'a = 1', 1)).toEqual([stream('old')]);
  });

  it('returns nothing for another source, and without a run or an image', async () => {
    const history = historyWith({ text: 'old', images: [IMAGE] });
    history.blobs.clear();
    expect(await outputsOf(history, 'a = 1')).toEqual([stream('old')]);
    expect(await outputsOf(history, 'a = 2')).toEqual([]);
    expect(await outputsOf(history, 'a = 1', 0)).toEqual([]);
    history.failure = new Error('no server');
    expect(await outputsOf(history, 'a = 1')).toEqual([]);
  });
});
