import { nullTranslator } from '@jupyterlab/translation';

import type { ModelInfo, Provider } from '../../api/types';
import { ModelChoice } from '../model/modelChoice';
import {
  ModelsApiFake,
  OPENAI,
  REMOTE,
  modelList
} from '../model/models.fakes';
import { agreeTo } from './dialogs';

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
const HERE = model('qwen', true);
const CLOUD = model('big:cloud', false);

/** What the dialog says, after which it is answered; null if there was none. */
async function asked(
  current: ModelInfo | null,
  wanted: ModelInfo,
  answer = 'Use it',
  ollama = OLLAMA
): Promise<{ said: string | null; agreed: boolean }> {
  const api = new ModelsApiFake();
  api.list = modelList({
    default: current?.id ?? null,
    models: current ? [current, wanted] : [wanted],
    providers: [OPENAI, ollama]
  });
  const choice = new ModelChoice(api);
  await choice.refresh();
  const agreed = agreeTo(wanted, choice, trans);
  for (let turn = 0; turn < 10; turn++) {
    await Promise.resolve();
  }
  const dialog = document.querySelector('.jp-Dialog');
  const said = dialog?.textContent ?? null;
  [...(dialog?.querySelectorAll('button') ?? [])]
    .find(button => button.textContent === answer)
    ?.click();
  return { said, agreed: await agreed };
}

describe('agreeTo', () => {
  it('says nothing of a model of this machine', async () => {
    expect(await asked(null, HERE)).toEqual({ said: null, agreed: true });
  });

  it('tells where a remote model is, and takes no for an answer', async () => {
    // P4
    const { said, agreed } = await asked(HERE, REMOTE, 'Not now');
    expect(said).toContain('are sent to OpenAI (https://api.openai.com/v1)');
    expect(agreed).toBe(false);
  });

  it('says it of a cloud model too, though Ollama answers already', async () => {
    // P4: the provider is the same, the place is not, and the address is this machine's.
    const { said, agreed } = await asked(HERE, CLOUD);
    expect(said).toContain('are sent to Ollama’s cloud');
    expect(said).not.toContain('127.0.0.1');
    expect(agreed).toBe(true);
    const far = {
      ...OLLAMA,
      address: 'http://gpu.example:11434',
      onThisMachine: false
    };
    const there = { ...HERE, onThisMachine: false };
    expect((await asked(there, CLOUD, 'Use it', far)).said).toContain(
      'Ollama’s cloud'
    );
    const named = model('mirror', false); // only the server knows that it is handed on
    expect((await asked(HERE, named)).said).toContain('Ollama’s cloud');
  });

  it('says nothing where the text goes to that very place already', async () => {
    const other = { ...REMOTE, id: 'openai:mini' };
    expect((await asked(REMOTE, other)).said).toBeNull();
    expect((await asked(CLOUD, model('other-cloud', false))).said).toBeNull();
  });
});
