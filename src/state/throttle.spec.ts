import { PromiseDelegate } from '@lumino/coreutils';

import { Pace } from './throttle';

describe('Pace', () => {
  let asked: PromiseDelegate<void>[];
  let pace: Pace;

  const answer = async () => {
    asked[asked.length - 1].resolve();
    for (let turn = 0; turn < 5; turn++) {
      await Promise.resolve();
    }
  };

  beforeEach(() => {
    jest.useFakeTimers();
    asked = [];
    pace = new Pace(() => {
      const question = new PromiseDelegate<void>();
      asked.push(question);
      return question.promise;
    });
  });

  afterEach(() => {
    pace.stop();
    jest.useRealTimers();
  });

  const tellOf = (count: number) => {
    for (let i = 0; i < count; i++) {
      pace.changed();
    }
  };

  it('asks once for changes that come together, and soon', () => {
    tellOf(200);
    expect(asked).toHaveLength(0);
    jest.advanceTimersByTime(0);
    expect(asked).toHaveLength(1);
  });

  it('asks once more for what changes after it asked, and leaves a pause', async () => {
    void pace.now();
    tellOf(200);
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveLength(1); // The answer is on its way.
    await answer();
    tellOf(200);
    jest.advanceTimersByTime(699);
    expect(asked).toHaveLength(1);
    jest.advanceTimersByTime(1);
    expect(asked).toHaveLength(2);
    await answer();
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveLength(2);
  });

  it('asks at once where it has to, and forgets what it asked before', async () => {
    void pace.now();
    const [first] = asked;
    pace.changed();
    void pace.now();
    expect(asked).toHaveLength(2);
    first.resolve();
    await Promise.resolve();
    pace.changed(); // The newest question has no answer yet.
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveLength(2);
    await answer();
    jest.advanceTimersByTime(700);
    expect(asked).toHaveLength(3);
  });

  it('goes on after a question that failed', async () => {
    const done = pace.now();
    pace.changed();
    asked[0].reject(new Error('no'));
    await expect(done).rejects.toThrow('no');
    jest.advanceTimersByTime(700);
    expect(asked).toHaveLength(2);
  });

  it('says whether something is missed when it is stopped', async () => {
    expect(pace.stop()).toBe(false);
    pace.changed();
    expect(pace.stop()).toBe(true);
    void pace.now();
    expect(pace.stop()).toBe(false);
    void pace.now();
    pace.changed();
    expect(pace.stop()).toBe(true);
    await answer();
    jest.advanceTimersByTime(60_000);
    expect(asked).toHaveLength(2);
  });
});
