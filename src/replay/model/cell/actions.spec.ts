import type { Step } from '../../../api/types';
import type { ReplayModel } from '../replay';
import {
  type FakeHistory,
  type FakeSubject,
  runStep,
  stepsOf
} from '../replay.fakes';
import { ReplayUnderTest } from '../replayUnderTest.fakes';

describe('ReplayActions', () => {
  let replay: ReplayUnderTest;
  let subject: FakeSubject;
  let history: FakeHistory;
  let model: ReplayModel;
  let show: ReplayUnderTest['show'];
  let flush: ReplayUnderTest['flush'];

  beforeEach(() => {
    replay = new ReplayUnderTest();
    ({ subject, history, model, show, flush } = replay);
  });

  afterEach(() => replay.dispose());

  beforeEach(async () => {
    await show();
    model.player.goTo(0);
  });

  it('restores the step, and records the source that was replaced', async () => {
    subject.type('a = "by hand"');
    expect(model.actions.hasUnrecordedEdits).toBe(true);
    expect(model.actions.canRestore).toBe(true);
    await model.actions.restore();
    expect(subject.source).toBe('a = 0');
    expect(history.recorded).toEqual([
      {
        type: 'restore',
        source: 'a = 0',
        data: { from_seq: 1, replaced: 'a = "by hand"' }
      }
    ]);
    expect(model.actions.lastResult).toBe('restored');
    expect(model.actions.isCurrentStepInCell).toBe(true);
    expect(model.actions.canRestore).toBe(false);
    model.actions.undo();
    expect(subject.undoCount).toBe(1);
  });

  it('replaces unrecorded edits only after a confirmation', async () => {
    subject.type('a = "by hand"');
    replay.isReplaceConfirmed = false;
    expect(await model.actions.restore()).toBe(false);
    expect(replay.confirmations).toEqual([0]);
    expect(subject.source).toBe('a = "by hand"');
    expect(history.recorded).toHaveLength(0);
    subject.type('a = 1');
    expect(await model.actions.restore()).toBe(true);
    expect(replay.confirmations).toEqual([0]);
    expect(subject.source).toBe('a = 0');
  });

  it('writes nothing if another cell is activated during the confirmation (P34)', async () => {
    subject.type('a = "by hand"');
    const restored = model.actions.restore();
    subject.activate('b');
    await flush();
    expect(await restored).toBe(false);
    expect(subject.sources.get('a')).toBe('a = "by hand"');
    expect(subject.sources.get('b')).toBe('b = 1');
  });

  it('restores the last version that ran without an error', async () => {
    const steps = stepsOf('a = 0', 'a = 1');
    const [first, second] = steps;
    const ran = { ...runStep([first]), index: 1, seq: 2 };
    const failed = runStep([first, ran, second]);
    history.steps.set('a', [
      first,
      ran,
      { ...second, index: 2, seq: 3 },
      { ...failed, index: 3, seq: 4, outcome: 'error' }
    ]);
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await flush();
    expect(model.actions.restorableWorkingIndex).toBe(0);
    expect(await model.actions.restoreLastWorking()).toBe(true);
    expect(subject.source).toBe('a = 0');
    expect(history.recorded[0].data).toEqual({
      from_seq: 1,
      replaced: 'a = 1'
    });
    expect(model.actions.restorableWorkingIndex).toBeNull();
  });

  it('restores the version and opens the prompt row to branch from its turn', async () => {
    const steps = stepsOf('a = 0', 'a = 1').map((step, index) => ({
      ...step,
      turnId: index + 1,
      title: `request ${index + 1}`
    }));
    history.steps.set('a', steps);
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await flush();
    model.player.goTo(0);
    await model.actions.branch();
    expect(subject.source).toBe('a = 0');
    expect(history.recorded).toHaveLength(1);
    const first = { turnId: 1, title: 'request 1' };
    expect(replay.promptedBranches).toEqual([first]);
    expect(model.actions.lastResult).toBe('branched');
    // Code that the cell contains already is not restored again.
    await model.actions.branch();
    expect(history.recorded).toHaveLength(1);
    expect(replay.promptedBranches).toEqual([first, first]);
  });

  it('P49: shows and accepts an open answer as the prompt row shows it', async () => {
    const [step] = stepsOf('prise');
    const open = { applied: false, outcome: 'open', turnId: 2 } as const;
    const answer = { seq: 1, timestamp: '', outcome: 'open' } as const;
    const attempts = [
      { ...answer, turnId: 1, code: 'first' },
      { ...answer, turnId: 2, code: 'prise' }
    ];
    history.steps.set('a', [{ ...step, ...open, attempts }]);
    history.notify({ notebookId: 'nb', cellId: 'a' });
    await flush();
    expect(model.step?.code).toBe('prise');
    // The row has corrected both answers, and shows the first one.
    const codes = new Map([
      [1, 'first corrected'],
      [2, 'price']
    ]);
    replay.shownAnswers = { turnId: 1, codes, isChecking: true };
    expect(model.actions.canRestore).toBe(false);
    replay.shownAnswers = { turnId: 1, codes, isChecking: false };
    expect([model.step?.code, model.step?.turnId]).toEqual([
      'first corrected',
      1
    ]);
    model.steps.showAttempt(model.step!, 2);
    expect(model.step?.code).toBe('price');
    expect(await model.actions.restore()).toBe(true);
    expect([replay.accepted, subject.source]).toEqual([[2], 'price']);
    expect(history.recorded).toEqual([]); // The row records it, with its corrections.
    expect(model.actions.lastResult).toBe('accepted');
  });

  it('inserts a version below, and runs and records nothing', () => {
    model.actions.insertBelow();
    expect(subject.inserted).toEqual(['a = 0']);
    expect(subject.source).toBe('a = 1');
    expect(history.recorded).toHaveLength(0);
    subject.canInsert = false;
    expect(model.actions.canInsert).toBe(false);
  });

  it('does nothing if the cell contains the step’s code already', async () => {
    model.player.goTo(1);
    await model.actions.restore();
    expect(history.recorded).toHaveLength(0);
    expect(model.actions.lastResult).toBeNull();
  });

  it('does nothing to a cell that is read-only', async () => {
    subject.isWritable = false;
    expect(model.actions.canRestore).toBe(false);
    await model.actions.restore();
    expect(subject.source).toBe('a = 1');
  });

  it('writes into no cell while a cell other than the active one is shown', async () => {
    history.isSlow = true;
    subject.activate('b');
    await flush();
    await model.actions.restore();
    expect(subject.source).toBe('b = 1');
    expect(history.recorded).toHaveLength(0);
  });

  it('reports that only recording failed', async () => {
    history.failure = new Error('Full.');
    await model.actions.restore();
    expect(subject.source).toBe('a = 0');
    expect(model.actions.lastResult).toBe('unrecorded');
  });

  it('clears the last result when the cell changes again', async () => {
    await model.actions.restore();
    subject.type('a = 3');
    expect(model.actions.lastResult).toBeNull();
    model.actions.undo();
    expect(subject.undoCount).toBe(0);
  });

  it('stops playing', async () => {
    model.player.play();
    await model.actions.restore();
    expect(model.player.isPlaying).toBe(false);
  });

  describe('while a suggestion is open', () => {
    beforeEach(async () => {
      const [first, second] = stepsOf('a = 0', 'a = 1');
      const open: Step = {
        ...second,
        index: 2,
        seq: 3,
        turnId: 3,
        before: 'a = 1',
        code: 'a = 2',
        applied: false,
        outcome: 'open',
        parent: 1
      };
      history.steps.set('a', [first, second, open]);
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
    });

    it('accepts the suggestion if it is restored', async () => {
      model.player.goTo(2);
      expect(await model.actions.restore()).toBe(true);
      expect(subject.source).toBe('a = 2');
      expect(history.recorded).toEqual([
        { type: 'accept', turnId: 3, source: 'a = 2' }
      ]);
      expect(model.actions.lastResult).toBe('accepted');
    });

    it('rejects it for an answer that was asked again, which isn’t accepted', async () => {
      const steps = history.steps.get('a')!;
      const repeated: Step = {
        ...steps[2],
        index: 3,
        seq: 4,
        turnId: 4,
        repeatsTurnId: 3,
        code: 'a = 9',
        outcome: 'repeated',
        parent: null
      };
      history.steps.set('a', [...steps, repeated]);
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      model.player.goTo(3);
      await model.actions.restore();
      expect(history.recorded).toEqual([
        { type: 'reject', turnId: 3 },
        {
          type: 'restore',
          source: 'a = 9',
          data: { from_seq: 4, replaced: 'a = 1' }
        }
      ]);
    });

    it('records the replaced source if the cell has been edited', async () => {
      model.player.goTo(2);
      subject.type('a = "by hand"');
      await model.actions.restore();
      expect(history.recorded).toEqual([
        {
          type: 'accept',
          turnId: 3,
          source: 'a = 2',
          data: { replaced: 'a = "by hand"' }
        }
      ]);
    });

    it('rejects the suggestion if another step is restored', async () => {
      model.player.goTo(0);
      expect(await model.actions.restore()).toBe(true);
      expect(history.recorded).toEqual([
        { type: 'reject', turnId: 3 },
        {
          type: 'restore',
          source: 'a = 0',
          data: { from_seq: 1, replaced: 'a = 1' }
        }
      ]);
    });
  });

  it('has nothing to restore if a request failed without code', async () => {
    const [step] = stepsOf('');
    history.steps.set('c', [{ ...step, applied: false, outcome: 'error' }]);
    subject.activate('c');
    subject.type('kept');
    await show();
    expect(model.actions.isCurrentStepInCell).toBe(false);
    expect(model.actions.canRestore).toBe(false);
  });
});
