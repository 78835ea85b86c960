/** A `ReplayModel` with a fake notebook, a fake history and fake timers. */
import type { IBranch } from '../../records/branch';
import type { IShownAnswers } from '../../tokens';
import { ReplayModel } from './replay';
import { FAKE_HOST, FakeHistory, FakeSubject, stepsOf } from './replay.fakes';

export class ReplayUnderTest {
  constructor() {
    jest.useFakeTimers();
    this.history.steps.set('a', stepsOf('a = 0', 'a = 1'));
    this.history.steps.set('b', stepsOf('b = 1'));
  }

  readonly subject = new FakeSubject();
  readonly history = new FakeHistory();
  /** The indexes of the steps for which a confirmation was requested. */
  readonly confirmations: number[] = [];
  /** Whether the person confirms that a step may replace the cell's source. */
  isReplaceConfirmed = true;
  /** The argument of each call of `openPrompt`: a branch, or null. */
  readonly promptedBranches: (IBranch | null)[] = [];
  /** The open answers of the row, and the turns of those that were accepted there. */
  shownAnswers: IShownAnswers | null = null;
  readonly accepted: number[] = [];

  readonly model = new ReplayModel(this.subject, this.history, {
    ...FAKE_HOST,
    confirmReplace: async index => {
      this.confirmations.push(index);
      return this.isReplaceConfirmed;
    },
    openPrompt: branch => this.promptedBranches.push(branch),
    shownAnswers: () => this.shownAnswers,
    acceptAnswer: async (_, turnId) => {
      const source = this.shownAnswers?.codes.get(turnId);
      this.accepted.push(turnId);
      this.subject.apply(source ?? '');
      return source !== undefined;
    }
  });

  /** Run pending promises and timers. */
  readonly flush = async (): Promise<void> => {
    await settle();
    jest.runOnlyPendingTimers();
    await settle();
  };

  /** Show the sidebar. */
  readonly show = async (): Promise<void> => {
    this.model.isActive = true;
    await this.flush();
  };

  dispose(): void {
    this.model.dispose();
    jest.useRealTimers();
  }
}

/** Run pending promises, but no timers. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await Promise.resolve();
  }
}
