import { ApiError } from '../../api/request';
import { ModelChoice } from './modelChoice';
import type { InstallState } from '../../api/types';
import {
  LOCAL,
  ModelsApiFake,
  NOT_INSTALLED,
  REMOTE,
  modelList
} from './models.fakes';

function setup() {
  const api = new ModelsApiFake();
  return { api, choice: new ModelChoice(api) };
}

describe('ModelChoice', () => {
  it('asks nothing by itself, and once for callers at the same time', async () => {
    const { api, choice } = setup();
    expect(api.names).toEqual([]);
    await Promise.all([choice.refresh(), choice.refresh()]);
    expect(api.names).toEqual(['models']);
    expect(choice.current).toBeNull();
  });

  it('chooses nothing and installs nothing without being told to', async () => {
    // P4
    const { api, choice } = setup();
    api.list = modelList({ models: [REMOTE] });
    await choice.refresh();
    expect(api.names).toEqual(['models']);
    expect(choice.current).toBeNull();
    expect(choice.ready).toEqual({ here: [], remote: [REMOTE] });
  });

  it('chooses on the server, and tells what that said', async () => {
    const { api, choice } = setup();
    const seen: (string | null)[] = [];
    choice.changed.connect(() => seen.push(choice.current?.id ?? null));
    api.list = modelList({ default: LOCAL.id, models: [LOCAL, REMOTE] });
    await choice.choose(LOCAL.id);
    expect(api.calls).toEqual([['choose', LOCAL.id], ['models']]);
    expect(seen).toEqual([LOCAL.id]);
  });

  it('connects: the key to the server, then the choice; no key stays here', async () => {
    // P8
    const { api, choice } = setup();
    await choice.connect(
      { provider: 'openai', key: 'sk-canary', address: null },
      'gpt',
      false
    );
    expect(api.calls).toEqual([
      ['save', 'openai', 'sk-canary', null],
      ['choose', 'openai:gpt'],
      ['models']
    ]);
    expect(JSON.stringify(choice.list)).not.toContain('canary');
  });

  it('saves no key where the environment has one', async () => {
    const { api, choice } = setup();
    await choice.connect(
      { provider: 'openai', key: null, address: null },
      'gpt',
      false
    );
    expect(api.names).toEqual(['choose', 'models']);
  });

  it('says why it could not ask, and keeps what it knew', async () => {
    const { api, choice } = setup();
    api.list = modelList({ default: LOCAL.id, models: [LOCAL] });
    await choice.refresh();
    api.failure = new ApiError(0, 'unreachable', 'No answer.');
    await choice.refresh();
    expect(choice.problem?.code).toBe('unreachable');
    expect(choice.current).toEqual(LOCAL);
  });

  it('follows an installation that another page began, to its end', async () => {
    const { api, choice } = setup();
    const installing: InstallState = {
      phase: 'fetching',
      bytes: 5,
      total: 9,
      source: 'hub',
      message: null
    };
    api.list = modelList({
      local: { ...NOT_INSTALLED, installing }
    });
    await choice.refresh();
    expect(choice.install.isRunning).toBe(true);
    api.list = modelList({ default: LOCAL.id, models: [LOCAL] });
    await api.give({ type: 'done' });
    expect(choice.current).toEqual(LOCAL);
    expect(api.names).toEqual(['models', 'join', 'models']);
  });

  it('is not led by a list from before a stop to join again', async () => {
    // P4
    const { api, choice } = setup();
    const installing: InstallState = {
      phase: 'fetching',
      bytes: 5,
      total: 9,
      source: 'hub',
      message: null
    };
    void choice.install.start();
    const told = modelList({ local: { ...NOT_INSTALLED, installing } });
    let tell = (_: typeof told) => undefined as void;
    api.models = () => new Promise(resolve => (tell = resolve));
    const asked = choice.refresh();
    await choice.install.stop();
    tell(told);
    await asked;
    expect(choice.install.view.status).toBe('stopped');
    expect(api.names).toEqual(['install', 'stop']); // None was joined.
  });
});
