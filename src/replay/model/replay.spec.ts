import { signalToPromise } from '@jupyterlab/testing';

import { ApiError } from '../../api/request';
import type { ReplayModel } from './replay';
import { type FakeHistory, type FakeSubject, stepsOf } from './replay.fakes';
import { ReplayUnderTest } from './replayUnderTest.fakes';

describe('ReplayModel', () => {
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

  describe('following', () => {
    it('shows the newest step of the active cell', async () => {
      await show();
      expect(model.steps.phase).toBe('steps');
      expect(model.steps.shownCell?.cellId).toBe('a');
      expect(model.step?.code).toBe('a = 1');
      expect(model.actions.isCurrentStepInCell).toBe(true);
      subject.activate('b');
      await flush();
      expect(model.steps.shownCell?.cellId).toBe('b');
      expect(model.step?.code).toBe('b = 1');
    });

    it('sends no requests while hidden, and loads changes when shown', async () => {
      subject.activate('b');
      history.notify({ notebookId: 'nb', cellId: 'b' });
      await flush();
      expect(history.requests).toHaveLength(0);
      expect(subject.isActive).toBe(false);
      await show();
      expect(model.steps.shownCell?.cellId).toBe('b');
      model.isActive = false;
      expect(subject.isActive).toBe(false);
      history.steps.set('b', stepsOf('b = 1', 'b = 2'));
      history.notify({ notebookId: 'nb', cellId: 'b' });
      await flush();
      expect(history.requests).toHaveLength(1);
      await show();
      expect(history.requests).toHaveLength(2);
      expect(model.step?.code).toBe('b = 2');
    });

    it('sends no request when it is shown again without changes', async () => {
      await show();
      model.isActive = false;
      await show();
      subject.emitChange('cells');
      await flush();
      expect(history.requests).toHaveLength(1);
    });

    it('sends no requests while another tab is selected', async () => {
      model.selectedTab = 'notebook';
      await show();
      subject.activate('b');
      await flush();
      expect(history.requests).toHaveLength(0);
      model.selectedTab = 'cell';
      await flush();
      expect(model.steps.shownCell?.cellId).toBe('b');
    });

    it('aborts its request when hidden, and repeats the request when shown', async () => {
      history.isSlow = true;
      await show();
      model.isActive = false;
      expect(history.requests[0].signal?.aborted).toBe(true);
      history.answer(history.requests[0]);
      await flush();
      expect(model.steps.phase).toBe('idle');
      history.isSlow = false;
      await show();
      expect(model.steps.phase).toBe('steps');
    });

    it('keeps the previous steps until the next ones are loaded', async () => {
      await show();
      history.isSlow = true;
      subject.activate('b');
      await flush();
      expect(model.steps.isLoading).toBe(true);
      expect(model.steps.shownCell?.cellId).toBe('a');
      expect(model.step?.code).toBe('a = 1');
      expect(model.steps.isActiveCellShown).toBe(false);
      expect(model.actions.canRestore).toBe(false);
      history.answer(history.requests[1]);
      await flush();
      expect(model.steps.isLoading).toBe(false);
      expect(model.steps.shownCell?.cellId).toBe('b');
    });

    it('shows only the newest cell, in whatever order responses arrive', async () => {
      history.isSlow = true;
      await show();
      subject.activate('b');
      await flush();
      const [first, second] = history.requests;
      expect(first.signal?.aborted).toBe(true);
      history.answer(second);
      history.answer(first);
      await flush();
      expect(model.steps.shownCell?.cellId).toBe('b');
      expect(model.steps.all).toHaveLength(1);
    });

    it('requests only the first and the last of rapidly activated cells', async () => {
      await show();
      for (const id of ['b', 'c', 'a', 'b', 'c', 'b']) {
        subject.activate(id);
      }
      await flush();
      expect(history.requests.map(({ cellId }) => cellId)).toEqual(['a', 'b']);
      expect(model.steps.shownCell?.cellId).toBe('b');
    });

    it('stays at an older step when new steps arrive', async () => {
      await show();
      model.player.goTo(0);
      history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      expect(model.steps.all).toHaveLength(3);
      expect(model.player.position).toBe(0);
    });

    it('moves to a new step if the last step was the current step', async () => {
      await show();
      history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      expect(model.player.position).toBe(2);
      // The same if the new step is a suggestion that is still open.
      const steps = stepsOf('a = 0', 'a = 1', 'a = 2', 'a = 3');
      const open = { applied: false, outcome: 'open' as const };
      history.steps.set('a', [...steps.slice(0, 3), { ...steps[3], ...open }]);
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      expect(model.step?.code).toBe('a = 3');
    });

    it('ignores changes of other cells', async () => {
      await show();
      history.notify({ notebookId: 'nb', cellId: 'b' });
      history.notify({ notebookId: 'other', cellId: 'a' });
      await flush();
      expect(history.requests).toHaveLength(1);
    });

    it('has a phase for each reason why nothing is shown', async () => {
      subject.hasNotebook = false;
      await show();
      expect(model.steps.phase).toBe('notebook');
      subject.hasNotebook = true;
      subject.notebookId = null;
      subject.activate(null);
      await flush();
      // A notebook without an active cell is still being opened.
      expect(model.steps.phase).toBe('cell');
      subject.activate('a');
      await flush();
      expect(model.steps.phase).toBe('history');
      expect(history.requests).toHaveLength(0);
      subject.notebookId = 'nb';
      subject.activate('c');
      await flush();
      expect(model.steps.phase).toBe('empty');
      subject.activate(null);
      await flush();
      expect(model.steps.phase).toBe('cell');
      expect(model.steps.shownCell).toBeNull();
    });

    it('emits a signal on each change, and none once disposed', async () => {
      const stateChange = signalToPromise(model.stateChanged);
      await show();
      await stateChange;
      let count = 0;
      model.stateChanged.connect(() => count++);
      model.dispose();
      model.dispose();
      subject.activate('b');
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      expect(count).toBe(0);
      expect(subject.isActive).toBe(false);
      expect(history.requests).toHaveLength(1);
    });
  });

  describe('failing', () => {
    it('reports the failure, and tries again on request', async () => {
      history.failure = new ApiError(0, 'unreachable', 'It does not answer.');
      await show();
      expect(model.steps.phase).toBe('failed');
      expect(model.steps.error).toMatchObject({ code: 'unreachable' });
      history.failure = null;
      model.refresh();
      await flush();
      expect(model.steps.phase).toBe('steps');
      expect(model.steps.error).toBeNull();
    });

    it('keeps the loaded steps', async () => {
      await show();
      history.failure = new ApiError(404, 'not_found', 'Gone.');
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      expect(model.steps.phase).toBe('steps');
      expect(model.steps.all).toHaveLength(2);
      expect(model.steps.error).toMatchObject({ message: 'Gone.' });
    });

    it('never shows the steps of another cell under its name', async () => {
      await show();
      history.failure = new ApiError(404, 'not_found', 'Gone.');
      subject.activate('b');
      await flush();
      expect(model.steps.phase).toBe('failed');
      expect(model.steps.all).toHaveLength(0);
    });
  });

  describe('showing a requested step', () => {
    it('goes to the step as soon as the steps of its cell are shown', async () => {
      history.steps.set('b', stepsOf('b = 0', 'b = 1', 'b = 2'));
      await show();
      void model.showStep('b', { step: 1 });
      await flush();
      expect(model.steps.shownCell?.cellId).toBe('b');
      expect(model.player.position).toBe(1);
      expect(subject.activeId).toBe('b');
      await model.showStep('b', { seq: 1 });
      expect(model.player.position).toBe(0);
    });

    it('goes to the step of a turn', async () => {
      const [first, second, edit] = stepsOf('b = 0', 'b = 1', 'b = 2');
      history.steps.set('b', [
        { ...first, kind: 'turn', turnId: 4 },
        { ...second, kind: 'turn', turnId: 5 },
        { ...edit, turnId: 4 }
      ]);
      await show();
      await model.showStep('b', { turnId: 5 });
      await flush();
      expect(model.player.position).toBe(1);
      await model.showStep('b', { turnId: 4 });
      expect(model.player.position).toBe(0);
    });

    it('goes to a step of a deleted cell, even before anything is loaded', async () => {
      history.steps.set('gone', stepsOf('g = 0', 'g = 1'));
      model.selectedTab = 'notebook';
      await model.showStep('gone', { seq: 1 });
      await show();
      expect(model.selectedTab).toBe('cell');
      expect(model.steps.shownCell?.cellId).toBe('gone');
      expect(model.player.position).toBe(0);
    });

    it('drops the request if another cell is activated or there is no such step', async () => {
      await show();
      history.isSlow = true;
      void model.showStep('b', { step: 0 });
      await flush();
      history.isSlow = false;
      subject.activate('a');
      await flush();
      expect(model.steps.shownCell?.cellId).toBe('a');
      expect(model.player.position).toBe(1);
      await model.showStep('a', { step: 7, seq: 99 });
      expect(model.player.position).toBe(1);
      // It doesn't go to that step when it is recorded later, either.
      history.steps.set('a', stepsOf(...Array(9).fill('a')));
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await flush();
      expect(model.player.position).toBe(8);
    });
  });

  describe('comparing', () => {
    beforeEach(async () => {
      history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
      await show();
    });

    it('keeps A while the current step changes, and swaps A and B', () => {
      model.player.compareWith(0);
      expect(model.comparedStep?.code).toBe('a = 0');
      expect(model.step?.code).toBe('a = 2');
      model.player.goTo(1);
      expect(model.player.positionA).toBe(0);
      model.player.swap();
      expect(model.comparedStep?.code).toBe('a = 1');
      expect(model.step?.code).toBe('a = 0');
      model.player.compareWith(null);
      expect(model.comparedStep).toBeNull();
    });

    it('stops when another cell is shown', async () => {
      model.player.compareWith(1);
      expect(model.player.positionA).toBe(1);
      subject.activate('b');
      await flush();
      expect(model.player.positionA).toBeNull();
    });
  });
});
