import { MessageLoop } from '@lumino/messaging';
import { nullTranslator } from '@jupyterlab/translation';

import type { ModelInfo, Provider } from '../../api/types';
import { ModelChoice } from '../model/modelChoice';
import {
  ModelsApiFake,
  OPENAI,
  REMOTE,
  modelList
} from '../model/models.fakes';
import { confirmModel } from './confirmModel';

const trans = nullTranslator.load('aiserver');

const OLLAMA: Provider = {
  ...OPENAI,
  name: 'ollama',
  label: 'Ollama',
  needsKey: false,
  needsAddress: true,
  address: 'http://127.0.0.1:11434',
  onThisMachine: true,
  placeSettled: true
};
const model = (name: string, onThisMachine: boolean): ModelInfo => ({
  ...REMOTE,
  id: `ollama:${name}`,
  provider: 'ollama',
  label: `${name} (Ollama)`,
  onThisMachine
});
const LOCAL_MODEL = model('qwen', true);
const CLOUD_MODEL = model('big:cloud', false);

async function choiceOf(
  current: ModelInfo | null,
  chosen: ModelInfo,
  ollama: Provider
): Promise<ModelChoice> {
  const api = new ModelsApiFake();
  api.list = modelList({
    default: current?.id ?? null,
    models: current ? [current, chosen] : [chosen],
    providers: [OPENAI, ollama]
  });
  const choice = new ModelChoice(api);
  await choice.refresh();
  return choice;
}

/** The dialog's text is null if none was shown. */
async function answerDialog(
  current: ModelInfo | null,
  chosen: ModelInfo,
  answer = 'Use it',
  ollama = OLLAMA
): Promise<{ text: string | null; isConfirmed: boolean }> {
  const choice = await choiceOf(current, chosen, ollama);
  const result = confirmModel(chosen, choice, trans);
  let isDecided = false;
  void result.finally(() => (isDecided = true));
  const body = () => document.querySelector('.jp-AIServer-Models-sentData');
  while (!isDecided && !body()) {
    await new Promise(resolve => setTimeout(resolve));
    MessageLoop.flush();
  }
  const dialog = document.querySelector('.jp-Dialog');
  const text = dialog?.textContent ?? null;
  [...(dialog?.querySelectorAll('button') ?? [])]
    .find(button => button.textContent === answer)
    ?.click();
  return { text, isConfirmed: await result };
}

describe('confirmModel', () => {
  it('shows no dialog for a local model', async () => {
    expect(await answerDialog(null, LOCAL_MODEL)).toEqual({
      text: null,
      isConfirmed: true
    });
  });

  it('shows the destination of a remote model, and accepts a refusal', async () => {
    // P4
    const { text, isConfirmed } = await answerDialog(
      LOCAL_MODEL,
      REMOTE,
      'Not now'
    );
    expect(text).toContain('is sent to OpenAI (https://api.openai.com/v1)');
    expect(isConfirmed).toBe(false);
  });

  it('asks about a cloud model even if the current model is from Ollama', async () => {
    // P4: same provider and local address, but another destination.
    const { text, isConfirmed } = await answerDialog(LOCAL_MODEL, CLOUD_MODEL);
    expect(text).toContain('is sent to Ollama’s cloud');
    expect(text).not.toContain('127.0.0.1');
    expect(isConfirmed).toBe(true);
    const remoteOllama = {
      ...OLLAMA,
      address: 'http://gpu.example:11434',
      onThisMachine: false
    };
    const remoteCurrent = { ...LOCAL_MODEL, onThisMachine: false };
    expect(
      (await answerDialog(remoteCurrent, CLOUD_MODEL, 'Use it', remoteOllama))
        .text
    ).toContain('Ollama’s cloud');
    const mirror = model('mirror', false); // Only the server knows that it is a cloud model.
    expect((await answerDialog(LOCAL_MODEL, mirror)).text).toContain(
      'Ollama’s cloud'
    );
  });

  it('shows no dialog if the current model has the same destination', async () => {
    const other = { ...REMOTE, id: 'openai:mini' };
    expect((await answerDialog(REMOTE, other)).text).toBeNull();
    expect(
      (await answerDialog(CLOUD_MODEL, model('other-cloud', false))).text
    ).toBeNull();
  });
});
