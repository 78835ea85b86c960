import { ApiError } from '../../api/request';
import { ModelChoice } from './modelChoice';
import type { InstallState } from '../../api/types';
import {
  LARGE,
  LOCAL,
  ModelsApiFake,
  NOT_INSTALLED,
  REMOTE,
  SMALL,
  modelList
} from './models.fakes';

const INSTALLING: InstallState = {
  name: 'm',
  phase: 'fetching',
  bytes: 5,
  total: 9,
  source: 'hub',
  message: null
};

function setup() {
  const api = new ModelsApiFake();
  return { api, choice: new ModelChoice(api) };
}

describe('ModelChoice', () => {
  it('sends no request by itself, and one request for concurrent callers', async () => {
    const { api, choice } = setup();
    expect(api.names).toEqual([]);
    await Promise.all([choice.refresh(), choice.refresh()]);
    expect(api.names).toEqual(['models']);
    expect(choice.defaultModel).toBeNull();
  });

  it('chooses and installs nothing without a call', async () => {
    // P4
    const { api, choice } = setup();
    api.list = modelList({ models: [REMOTE] });
    await choice.refresh();
    expect(api.names).toEqual(['models']);
    expect(choice.defaultModel).toBeNull();
    expect(choice.list?.models).toEqual([REMOTE]);
  });

  it('chooses on the server, and emits its response', async () => {
    const { api, choice } = setup();
    const seen: (string | null)[] = [];
    choice.changed.connect(() => seen.push(choice.defaultModel?.id ?? null));
    api.list = modelList({ default: LOCAL.id, models: [LOCAL, REMOTE] });
    await choice.choose(LOCAL.id);
    expect(api.calls).toEqual([['choose', LOCAL.id], ['models']]);
    expect(seen).toEqual([LOCAL.id]);
  });

  it('reports a failed refresh, and keeps the last list', async () => {
    const { api, choice } = setup();
    api.list = modelList({ default: LOCAL.id, models: [LOCAL] });
    await choice.refresh();
    api.failure = new ApiError(0, 'unreachable', 'No answer.');
    await choice.refresh();
    expect(choice.problem?.code).toBe('unreachable');
    expect(choice.defaultModel).toEqual(LOCAL);
  });

  it('follows an installation of another page to its end', async () => {
    const { api, choice } = setup();
    api.list = modelList({
      local: { ...NOT_INSTALLED, installing: INSTALLING }
    });
    await choice.refresh();
    expect(choice.install.isRunning).toBe(true);
    api.list = modelList({ default: LOCAL.id, models: [LOCAL] });
    await api.give({ type: 'done' });
    expect(choice.defaultModel).toEqual(LOCAL);
    expect(api.names).toEqual(['models', 'join', 'models']);
  });

  it('follows the installation of a model of the catalogue', async () => {
    const { api, choice } = setup();
    const installing = { ...INSTALLING, name: LARGE.name };
    const localModels = [SMALL, LARGE];
    api.list = modelList({
      local: { ...NOT_INSTALLED, installing },
      localModels
    });
    await choice.refresh();
    expect(choice.installTarget).toEqual(LARGE);
    api.list = modelList({ local: null, models: [REMOTE], localModels });
    await api.give({ type: 'done' });
    // P4: another page started the installation, so this page chooses nothing.
    expect(api.calls).toEqual([['models'], ['join', LARGE.name], ['models']]);
  });

  it('does not join again because of a list from before a stop', async () => {
    // P4
    const { api, choice } = setup();
    void choice.install.start(null);
    const staleList = modelList({
      local: { ...NOT_INSTALLED, installing: INSTALLING }
    });
    let respond = (_: typeof staleList) => undefined as void;
    api.models = () => new Promise(resolve => (respond = resolve));
    const refresh = choice.refresh();
    await choice.install.stop();
    respond(staleList);
    await refresh;
    expect(choice.install.state.status).toBe('stopped');
    expect(api.names).toEqual(['install', 'stop']); // No installation was joined.
  });
});
