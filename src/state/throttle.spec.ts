import { PromiseDelegate } from '@lumino/coreutils';

import { Throttle } from './throttle';

describe('Throttle', () => {
  let requests: PromiseDelegate<void>[];
  let throttle: Throttle;

  const respond = async () => {
    requests[requests.length - 1].resolve();
    for (let tick = 0; tick < 5; tick++) {
      await Promise.resolve();
    }
  };

  beforeEach(() => {
    jest.useFakeTimers();
    requests = [];
    throttle = new Throttle(() => {
      const request = new PromiseDelegate<void>();
      requests.push(request);
      return request.promise;
    });
  });

  afterEach(() => {
    throttle.cancel();
    jest.useRealTimers();
  });

  const triggerTimes = (count: number) => {
    for (let i = 0; i < count; i++) {
      throttle.trigger();
    }
  };

  it('sends one request for a burst of triggers, without delay', () => {
    triggerTimes(200);
    expect(requests).toHaveLength(0);
    jest.advanceTimersByTime(0);
    expect(requests).toHaveLength(1);
  });

  it('sends one more request for later triggers, after a pause', async () => {
    void throttle.runNow();
    triggerTimes(200);
    jest.advanceTimersByTime(60_000);
    expect(requests).toHaveLength(1); // The first request is still running.
    await respond();
    triggerTimes(200);
    jest.advanceTimersByTime(699);
    expect(requests).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(requests).toHaveLength(2);
    await respond();
    jest.advanceTimersByTime(60_000);
    expect(requests).toHaveLength(2);
  });

  it('supersedes the running request with runNow', async () => {
    void throttle.runNow();
    const [first] = requests;
    throttle.trigger();
    void throttle.runNow();
    expect(requests).toHaveLength(2);
    first.resolve();
    await Promise.resolve();
    throttle.trigger(); // The newest request is still running.
    jest.advanceTimersByTime(60_000);
    expect(requests).toHaveLength(2);
    await respond();
    jest.advanceTimersByTime(700);
    expect(requests).toHaveLength(3);
  });

  it('continues after a failed request', async () => {
    const done = throttle.runNow();
    throttle.trigger();
    requests[0].reject(new Error('no'));
    await expect(done).rejects.toThrow('no');
    jest.advanceTimersByTime(700);
    expect(requests).toHaveLength(2);
  });

  it('returns from cancel whether a request was scheduled', async () => {
    expect(throttle.cancel()).toBe(false);
    throttle.trigger();
    expect(throttle.cancel()).toBe(true);
    void throttle.runNow();
    expect(throttle.cancel()).toBe(false);
    void throttle.runNow();
    throttle.trigger();
    expect(throttle.cancel()).toBe(true);
    await respond();
    jest.advanceTimersByTime(60_000);
    expect(requests).toHaveLength(2);
  });
});
