import type { Step } from '../api/types';
import { FakeHistory, runStep, stepsOf } from '../replay/model/replay.fakes';
import { recordedOutputs } from './recordedOutputs';

const KEY = { notebookId: 'nb', cellId: 'a' };
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

const stream = (text: string) => ({
  ...{ output_type: 'stream', name: 'stdout', text }
});

describe('recordedOutputs', () => {
  it('returns the text and the images of the last run (P54)', async () => {
    const { api } = historyWith(
      { text: 'old' },
      { text: 'new', truncated: true, images: [IMAGE] }
    );
    expect(await recordedOutputs(api, KEY, 'a = 1')).toEqual([
      stream('new\n…'),
      {
        output_type: 'display_data',
        data: { 'image/png': 'YWJj' },
        metadata: {}
      }
    ]);
    expect(await recordedOutputs(api, KEY, 'a = 1', 1)).toEqual([
      stream('old')
    ]);
  });

  it('returns nothing for another source, and without a run or an image', async () => {
    const history = historyWith({ text: 'old', images: [IMAGE] });
    history.blobs.clear();
    const { api } = history;
    expect(await recordedOutputs(api, KEY, 'a = 1')).toEqual([stream('old')]);
    expect(await recordedOutputs(api, KEY, 'a = 2')).toEqual([]);
    expect(await recordedOutputs(api, KEY, 'a = 1', 0)).toEqual([]);
    history.failure = new Error('no server');
    expect(await recordedOutputs(api, KEY, 'a = 1')).toEqual([]);
  });
});
