/**
 * The replay's model over a notebook and a history in memory, where time passes when the spec
 * says so.
 */
import type { IBranch } from '../../records/branch';
import { ReplayModel } from './replay';
import { FakeHistory, FakeSubject, stepsOf } from './replay.fakes';

export class ReplayUnderTest {
  constructor() {
    jest.useFakeTimers();
    this.history.steps.set('a', stepsOf('a = 0', 'a = 1'));
    this.history.steps.set('b', stepsOf('b = 1'));
  }

  readonly subject = new FakeSubject();
  readonly history = new FakeHistory();
  /** The steps before which the person was asked, and what they say. */
  readonly asked: number[] = [];
  mayReplace = true;
  /** The requests from which one was to continue. */
  readonly gone: (IBranch | null)[] = [];

  readonly model = new ReplayModel({
    subject: this.subject,
    history: this.history,
    asking: {
      mayReplace: async index => {
        this.asked.push(index);
        return this.mayReplace;
      },
      goOn: branch => this.gone.push(branch)
    }
  });

  /** Let requests through that wait for those before them. */
  readonly pass = async (): Promise<void> => {
    await settle();
    jest.runOnlyPendingTimers();
    await settle();
  };

  /** Somebody looks. */
  readonly show = async (): Promise<void> => {
    this.model.isActive = true;
    await this.pass();
  };

  dispose(): void {
    this.model.dispose();
    jest.useRealTimers();
  }
}

/** Let what waits for promises, and for nothing else, happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await Promise.resolve();
  }
}
