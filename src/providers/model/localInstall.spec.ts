import { ApiError } from '../../api/request';
import { LocalInstall } from './localInstall';
import { ModelsApiFake } from './models.fakes';

const at = (bytes: number) =>
  ({
    type: 'progress',
    name: 'm',
    phase: 'fetching',
    bytes,
    total: 1000e6,
    source: 'hub',
    message: null
  }) as const;

function setup() {
  const api = new ModelsApiFake();
  const clock = { now: 0 };
  const install = new LocalInstall(api, () => clock.now);
  return { api, clock, install };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe('LocalInstall', () => {
  it('reports bytes and speed, and then that it is done', async () => {
    const { api, clock, install } = setup();
    const end = install.start(null);
    await api.give(at(100e6));
    expect(install.state).toMatchObject({ status: 'running', speed: null });
    clock.now = 2000;
    await api.give(at(120e6));
    expect(install.state.speed).toBe(10e6);
    await api.give({ type: 'done' });
    await end;
    expect(install.state).toMatchObject({ status: 'done', speed: null });
  });

  it('measures the speed of the last seconds, not of the whole download', async () => {
    const { api, clock, install } = setup();
    void install.start(null);
    for (const [now, bytes] of [
      [0, 0],
      [5000, 500e6],
      [10000, 510e6],
      [15000, 520e6]
    ]) {
      clock.now = now;
      await api.give(at(bytes));
    }
    expect(install.state.speed).toBe(2e6);
  });

  it('stops at once, and resumes from there', async () => {
    const { api, install } = setup();
    const first = install.start('m');
    await api.give(at(200e6));
    await install.stop();
    expect(install.state).toMatchObject({
      status: 'stopped',
      progress: { bytes: 200e6 }
    });
    await api.give({ type: 'cancelled' });
    await first;
    void install.start('m');
    expect(install.state).toMatchObject({
      status: 'running',
      progress: { bytes: 200e6 }
    });
    expect(api.names).toEqual(['install', 'stop', 'install']);
  });

  it('reports a failure with the command that fixes it', async () => {
    const { api, install } = setup();
    const end = install.start(null);
    await api.give({
      type: 'error',
      code: 'model_package_missing',
      message: 'The local model needs one more Python package.',
      install: 'pip install x'
    });
    await end;
    expect(install.state).toMatchObject({
      status: 'failed',
      problem: {
        message: 'The local model needs one more Python package.',
        install: 'pip install x'
      }
    });
  });

  it('rejoins an interrupted stream, and then fails', async () => {
    // The server continues; only this page is disconnected.
    const { api, install } = setup();
    const end = install.start(null);
    await api.give(at(1e6));
    await api.give(new Error('network'));
    expect(install.isRunning).toBe(true);
    await jest.advanceTimersByTimeAsync(1000);
    await api.give(at(2e6));
    for (let round = 0; round < 3; round++) {
      await api.give('end');
      await jest.advanceTimersByTimeAsync(1000);
    }
    await end;
    expect(install.state).toMatchObject({
      status: 'failed',
      progress: { bytes: 2e6 }
    });
    // P4: only the click starts an installation on the server.
    expect(new Set(api.names.slice(1))).toEqual(new Set(['join']));
    expect(api.names[0]).toBe('install');
  });

  it('does not retry after an error response', async () => {
    const { api, install } = setup();
    const end = install.start(null);
    await api.give(new ApiError(403, 'forbidden', 'Not here.'));
    await end;
    expect(install.state.problem?.message).toBe('Not here.');
    expect(api.names).toEqual(['install']);
  });

  it('joins a running installation, and never starts one by itself', async () => {
    // P4: nothing is downloaded without a click.
    const { api, install } = setup();
    await install.join({ ...at(1), phase: 'done' });
    expect(api.names).toEqual([]);
    void install.join({ ...at(300e6) });
    expect(install.state).toMatchObject({
      status: 'running',
      progress: { bytes: 300e6 }
    });
    expect(api.names).toEqual(['join']);
    await api.give(new ApiError(404, 'not_found', 'None runs.'));
    expect(install.state.status).toBe('idle');
    expect(api.names).toEqual(['join']);
  });

  it('ends if another model is being installed when it joins', async () => {
    const { api, install } = setup();
    void install.join({ ...at(300e6), name: 'large' });
    await api.give({ ...at(310e6), name: 'large' });
    await api.give(new Error('network'));
    await jest.advanceTimersByTimeAsync(1000);
    await api.give(new ApiError(409, 'install_running', 'Another one.'));
    expect(install.state).toMatchObject({ status: 'idle', name: null });
    expect(api.calls).toEqual([
      ['join', 'large'],
      ['join', 'large']
    ]);
  });

  it('starts a download anew for another model', async () => {
    const { api, install } = setup();
    void install.start('small');
    await api.give(at(200e6));
    await install.stop();
    void install.start('large');
    expect(install.state).toMatchObject({ name: 'large', progress: null });
  });

  it('fails if the request to start never reached the server', async () => {
    const { api, install } = setup();
    const end = install.start(null);
    await api.give(new Error('network'));
    await jest.advanceTimersByTimeAsync(1000);
    await api.give(new ApiError(404, 'not_found', 'None runs.'));
    await end;
    expect(install.state.status).toBe('failed');
    expect(api.names).toEqual(['install', 'join']);
  });

  it('reports a stop that did not reach the server, and keeps running', async () => {
    const { api, install } = setup();
    void install.start(null);
    await api.give(at(1e6));
    api.failure = new ApiError(0, 'unreachable', 'No answer.');
    await install.stop();
    expect(install.state).toMatchObject({
      status: 'running',
      problem: { message: 'No answer.' }
    });
  });
});
