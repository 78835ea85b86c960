import { signalToPromise } from '@jupyterlab/testing';

import { ApiError } from '../api/request';
import { ReplayModel } from './replay';
import {
  FakeHistory,
  FakeSubject,
  runStep,
  stepsOf,
  summaryOf
} from './replayFakes';

/** Let what waits for promises, and for nothing else, happen. */
async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) {
    await Promise.resolve();
  }
}

describe('ReplayModel', () => {
  let subject: FakeSubject;
  let history: FakeHistory;
  let model: ReplayModel;
  /** What the person was asked before it is replaced, and what they say. */
  let asked: number[];
  let mayReplace: boolean;
  /** The turns from which a request was to go on. */
  let gone: (number | null)[];

  beforeEach(() => {
    jest.useFakeTimers();
    subject = new FakeSubject();
    history = new FakeHistory();
    history.steps.set('a', stepsOf('a = 0', 'a = 1'));
    history.steps.set('b', stepsOf('b = 1'));
    asked = [];
    gone = [];
    mayReplace = true;
    model = new ReplayModel({
      subject,
      history,
      asking: {
        mayReplace: async index => {
          asked.push(index);
          return mayReplace;
        },
        goOn: turnId => gone.push(turnId)
      }
    });
  });

  afterEach(() => {
    model.dispose();
    jest.useRealTimers();
  });

  /** Let requests through that wait for those before them. */
  async function pass(): Promise<void> {
    await settle();
    jest.runOnlyPendingTimers();
    await settle();
  }

  async function show(): Promise<void> {
    model.isActive = true;
    await pass();
  }

  describe('following', () => {
    it('shows the newest step of the active cell', async () => {
      await show();
      expect(model.phase).toBe('steps');
      expect(model.shown?.cellId).toBe('a');
      expect(model.step?.code).toBe('a = 1');
      expect(model.actions.isInCell).toBe(true);
      subject.choose('b');
      await pass();
      expect(model.shown?.cellId).toBe('b');
      expect(model.step?.code).toBe('b = 1');
    });

    it('asks for nothing while nobody looks, and catches up', async () => {
      subject.choose('b');
      history.notify({ notebookId: 'nb', cellId: 'b' });
      await pass();
      expect(history.asked).toHaveLength(0);
      expect(subject.isActive).toBe(false);
      await show();
      expect(model.shown?.cellId).toBe('b');
      model.isActive = false;
      expect(subject.isActive).toBe(false);
      history.steps.set('b', stepsOf('b = 1', 'b = 2'));
      history.notify({ notebookId: 'nb', cellId: 'b' });
      await pass();
      expect(history.asked).toHaveLength(1);
      await show();
      expect(history.asked).toHaveLength(2);
      expect(model.step?.code).toBe('b = 2');
    });

    it('does not ask again when it is shown and nothing has changed', async () => {
      await show();
      model.isActive = false;
      await show();
      subject.tell('cells');
      await pass();
      expect(history.asked).toHaveLength(1);
    });

    it('idles while the overview is on show', async () => {
      model.view = 'notebook';
      await show();
      subject.choose('b');
      await pass();
      expect(history.asked).toHaveLength(0);
      model.view = 'cell';
      await pass();
      expect(model.shown?.cellId).toBe('b');
    });

    it('aborts what it asked when it is hidden, and asks again', async () => {
      history.isSlow = true;
      await show();
      model.isActive = false;
      expect(history.asked[0].signal?.aborted).toBe(true);
      history.answer(history.asked[0]);
      await pass();
      expect(model.phase).toBe('idle');
      history.isSlow = false;
      await show();
      expect(model.phase).toBe('steps');
    });

    it('keeps the old until the new is there', async () => {
      await show();
      history.isSlow = true;
      subject.choose('b');
      await pass();
      expect(model.isLoading).toBe(true);
      expect(model.shown?.cellId).toBe('a');
      expect(model.step?.code).toBe('a = 1');
      expect(model.isFollowing).toBe(false);
      expect(model.actions.canRestore).toBe(false);
      history.answer(history.asked[1]);
      await pass();
      expect(model.isLoading).toBe(false);
      expect(model.shown?.cellId).toBe('b');
    });

    it('shows the newest cell only, whatever answers last', async () => {
      history.isSlow = true;
      await show();
      subject.choose('b');
      await pass();
      const [first, second] = history.asked;
      expect(first.signal?.aborted).toBe(true);
      history.answer(second);
      history.answer(first);
      await pass();
      expect(model.shown?.cellId).toBe('b');
      expect(model.steps).toHaveLength(1);
    });

    it('asks only for the first and the last of cells that fly by', async () => {
      await show();
      for (const id of ['b', 'c', 'a', 'b', 'c', 'b']) {
        subject.choose(id);
      }
      await pass();
      expect(history.asked.map(({ cellId }) => cellId)).toEqual(['a', 'b']);
      expect(model.shown?.cellId).toBe('b');
    });

    it('stays at the step that somebody looks at when the cell gets more', async () => {
      await show();
      model.player.goTo(0);
      history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      expect(model.steps).toHaveLength(3);
      expect(model.player.position).toBe(0);
    });

    it('passes over what happens to other cells', async () => {
      await show();
      history.notify({ notebookId: 'nb', cellId: 'b' });
      history.notify({ notebookId: 'other', cellId: 'a' });
      await pass();
      expect(history.asked).toHaveLength(1);
    });

    it('says why there is nothing to show', async () => {
      subject.hasNotebook = false;
      await show();
      expect(model.phase).toBe('notebook');
      subject.hasNotebook = true;
      subject.notebookId = null;
      subject.choose(null);
      await pass();
      // It is still being opened.
      expect(model.phase).toBe('cell');
      subject.choose('a');
      await pass();
      expect(model.phase).toBe('history');
      expect(history.asked).toHaveLength(0);
      subject.notebookId = 'nb';
      subject.choose('c');
      await pass();
      expect(model.phase).toBe('empty');
      subject.choose(null);
      await pass();
      expect(model.phase).toBe('cell');
      expect(model.shown).toBeNull();
    });

    it('tells views of each change, and is silent once disposed', async () => {
      const told = signalToPromise(model.stateChanged);
      await show();
      await told;
      let count = 0;
      model.stateChanged.connect(() => count++);
      model.dispose();
      model.dispose();
      subject.choose('b');
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      expect(count).toBe(0);
      expect(subject.isActive).toBe(false);
      expect(history.asked).toHaveLength(1);
    });
  });

  describe('failing', () => {
    it('says so in a sentence, and tries again when asked', async () => {
      history.failure = new ApiError(0, 'unreachable', 'It does not answer.');
      await show();
      expect(model.phase).toBe('failed');
      expect(model.error).toMatchObject({ code: 'unreachable' });
      history.failure = null;
      model.refresh();
      await pass();
      expect(model.phase).toBe('steps');
      expect(model.error).toBeNull();
    });

    it('keeps the steps that it has', async () => {
      await show();
      history.failure = new ApiError(404, 'not_found', 'Gone.');
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      expect(model.phase).toBe('steps');
      expect(model.steps).toHaveLength(2);
      expect(model.error).toMatchObject({ message: 'Gone.' });
    });

    it('never shows the steps of another cell under its name', async () => {
      await show();
      history.failure = new ApiError(404, 'not_found', 'Gone.');
      subject.choose('b');
      await pass();
      expect(model.phase).toBe('failed');
      expect(model.steps).toHaveLength(0);
    });
  });

  describe('restoring', () => {
    beforeEach(async () => {
      await show();
      model.player.goTo(0);
    });

    it('puts the step into the cell and records what it replaced', async () => {
      subject.type('a = "by hand"');
      expect(model.actions.isEditedSince).toBe(true);
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
      expect(model.actions.note).toBe('restored');
      expect(model.actions.isInCell).toBe(true);
      expect(model.actions.canRestore).toBe(false);
      model.actions.undo();
      expect(subject.undone).toBe(1);
    });

    it('asks before it replaces what no step holds, and takes no for an answer', async () => {
      subject.type('a = "by hand"');
      mayReplace = false;
      expect(await model.actions.restore()).toBe(false);
      expect(asked).toEqual([0]);
      expect(subject.source).toBe('a = "by hand"');
      expect(history.recorded).toHaveLength(0);
      subject.type('a = 1');
      expect(await model.actions.restore()).toBe(true);
      expect(asked).toEqual([0]);
      expect(subject.source).toBe('a = 0');
    });

    it('writes nothing where the person went elsewhere while they were asked (P34)', async () => {
      subject.type('a = "by hand"');
      const restored = model.actions.restore();
      subject.choose('b');
      await pass();
      expect(await restored).toBe(false);
      expect(subject.sources.get('a')).toBe('a = "by hand"');
      expect(subject.sources.get('b')).toBe('b = 1');
    });

    it('brings back the last version that ran clean', async () => {
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
      await pass();
      expect(model.actions.cleanStep).toBe(1);
      expect(await model.actions.restoreClean()).toBe(true);
      expect(subject.source).toBe('a = 0');
      expect(history.recorded[0].data).toEqual({
        from_seq: 2,
        replaced: 'a = 1'
      });
      expect(model.actions.cleanStep).toBeNull();
    });

    it('branches: the version is in the cell, and the request goes on from its turn', async () => {
      const steps = stepsOf('a = 0', 'a = 1').map((step, index) => ({
        ...step,
        turnId: index + 1
      }));
      history.steps.set('a', steps);
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      model.player.goTo(0);
      await model.actions.branch();
      expect(subject.source).toBe('a = 0');
      expect(history.recorded).toHaveLength(1);
      expect(gone).toEqual([1]);
      expect(model.actions.note).toBe('branched');
      // What the cell holds already is not put there again.
      await model.actions.branch();
      expect(history.recorded).toHaveLength(1);
      expect(gone).toEqual([1, 1]);
    });

    it('inserts a version below, and runs and records nothing', () => {
      model.actions.insertBelow();
      expect(subject.inserted).toEqual(['a = 0']);
      expect(subject.source).toBe('a = 1');
      expect(history.recorded).toHaveLength(0);
      subject.canInsert = false;
      expect(model.actions.canInsert).toBe(false);
    });

    it('does nothing where the cell holds it already', async () => {
      model.player.goTo(1);
      await model.actions.restore();
      expect(history.recorded).toHaveLength(0);
      expect(model.actions.note).toBeNull();
    });

    it('does nothing to a cell that is read-only', async () => {
      subject.isWritable = false;
      expect(model.actions.canRestore).toBe(false);
      await model.actions.restore();
      expect(subject.source).toBe('a = 1');
    });

    it('never writes into another cell than the one on show', async () => {
      history.isSlow = true;
      subject.choose('b');
      await pass();
      await model.actions.restore();
      expect(subject.source).toBe('b = 1');
      expect(history.recorded).toHaveLength(0);
    });

    it('says so if only the record failed', async () => {
      history.failure = new Error('Full.');
      await model.actions.restore();
      expect(subject.source).toBe('a = 0');
      expect(model.actions.note).toBe('unrecorded');
    });

    it('forgets the note when the cell changes again', async () => {
      await model.actions.restore();
      subject.type('a = 3');
      expect(model.actions.note).toBeNull();
      model.actions.undo();
      expect(subject.undone).toBe(0);
    });

    it('stops playing', async () => {
      model.player.play();
      await model.actions.restore();
      expect(model.player.isPlaying).toBe(false);
    });
  });

  describe('showing a step that somebody wants to see', () => {
    it('goes there as soon as its cell is on show', async () => {
      history.steps.set('b', stepsOf('b = 0', 'b = 1', 'b = 2'));
      await show();
      void model.showStep('b', { step: 1 });
      await pass();
      expect(model.shown?.cellId).toBe('b');
      expect(model.player.position).toBe(1);
      expect(subject.active).toBe('b');
      await model.showStep('b', { seq: 1 });
      expect(model.player.position).toBe(0);
    });

    it('finds it also where nobody looked before, and in a cell that is gone', async () => {
      history.steps.set('gone', stepsOf('g = 0', 'g = 1'));
      model.view = 'notebook';
      await model.showStep('gone', { seq: 1 });
      await show();
      expect(model.view).toBe('cell');
      expect(model.shown?.cellId).toBe('gone');
      expect(model.player.position).toBe(0);
    });

    it('gives up when the person goes elsewhere, or there is no such step', async () => {
      await show();
      history.isSlow = true;
      void model.showStep('b', { step: 0 });
      await pass();
      history.isSlow = false;
      subject.choose('a');
      await pass();
      expect(model.shown?.cellId).toBe('a');
      expect(model.player.position).toBe(1);
      await model.showStep('a', { step: 7, seq: 99 });
      expect(model.player.position).toBe(1);
      // Nor does it go there when there is one later.
      history.steps.set('a', stepsOf(...Array(9).fill('a')));
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      expect(model.player.position).toBe(8);
    });
  });

  describe('comparing', () => {
    beforeEach(async () => {
      history.steps.set('a', stepsOf('a = 0', 'a = 1', 'a = 2'));
      await show();
    });

    it('keeps A while B goes through the steps, and swaps them', () => {
      model.compare.start(0);
      expect(model.compared?.code).toBe('a = 0');
      expect(model.step?.code).toBe('a = 2');
      model.player.goTo(1);
      expect(model.compare.from).toBe(0);
      model.compare.swap();
      expect(model.compared?.code).toBe('a = 1');
      expect(model.step?.code).toBe('a = 0');
      model.compare.stop();
      expect(model.compared).toBeNull();
    });

    it('begins with the step before, and ends with the cell', async () => {
      model.compare.startHere();
      expect(model.compare.from).toBe(1);
      model.player.goTo(0);
      model.compare.stop();
      model.compare.startHere();
      expect(model.compare.from).toBe(1);
      subject.choose('b');
      await pass();
      expect(model.compare.isOn).toBe(false);
    });
  });

  it('has nothing to restore where a request failed without code', async () => {
    const [step] = stepsOf('');
    history.steps.set('c', [{ ...step, applied: false, outcome: 'error' }]);
    subject.choose('c');
    subject.type('kept');
    await show();
    expect(model.actions.isInCell).toBe(false);
    expect(model.actions.canRestore).toBe(false);
  });

  describe('the overview', () => {
    beforeEach(() => {
      history.summaryList = [summaryOf('gone', 2), summaryOf('b', 3)];
      model.view = 'notebook';
    });

    it('lists cells in their order, and those that are gone last', async () => {
      await show();
      const rows = model.overview.rows;
      expect(rows.map(row => row.cellId)).toEqual(['a', 'b', 'c', 'gone']);
      expect(rows.map(row => row.summary?.turns)).toEqual([
        undefined,
        3,
        undefined,
        2
      ]);
      expect(rows.map(row => row.isActive)).toEqual([
        true,
        false,
        false,
        false
      ]);
      expect(rows[3].cell).toBeNull();
      expect(rows[3].firstLine).toBe('first line of gone');
    });

    it('makes its rows anew only where a first line changes', async () => {
      await show();
      const { rows } = model.overview;
      subject.type('a = 2\nb = 3');
      const { rows: changed } = model.overview;
      expect(changed).not.toBe(rows);
      subject.type('a = 2\nb = 34');
      expect(model.overview.rows).toBe(changed);
    });

    it('asks only while it is looked at, and again after a change', async () => {
      model.view = 'cell';
      await show();
      expect(history.summaryCalls).toBe(0);
      model.view = 'notebook';
      await pass();
      expect(history.summaryCalls).toBe(1);
      subject.choose('b');
      expect(model.overview.rows[1].isActive).toBe(true);
      expect(history.summaryCalls).toBe(1);
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      expect(history.summaryCalls).toBe(2);
      model.isActive = false;
      history.notify({ notebookId: 'nb', cellId: 'a' });
      await pass();
      expect(history.summaryCalls).toBe(2);
      await show();
      expect(history.summaryCalls).toBe(3);
    });

    it('asks once where many cells change at once', async () => {
      await show();
      const tellOfAll = () => {
        for (let cell = 0; cell < 200; cell++) {
          history.notify({ notebookId: 'nb', cellId: `cell-${cell}` });
        }
      };
      tellOfAll();
      await pass();
      expect(history.summaryCalls).toBe(2);
      tellOfAll();
      await pass();
      expect(history.summaryCalls).toBe(3);
      await pass();
      expect(history.summaryCalls).toBe(3);
    });

    it('keeps what it knows while the server does not answer', async () => {
      await show();
      history.failure = new ApiError(404, 'not_found', 'Gone.');
      model.overview.refresh();
      await pass();
      expect(model.overview.error).toMatchObject({ message: 'Gone.' });
      expect(model.overview.rows).toHaveLength(4);
      history.failure = null;
      model.overview.refresh();
      await pass();
      expect(model.overview.error).toBeNull();
    });

    it('goes to a cell, and shows one that is gone until the next is chosen', async () => {
      await show();
      await model.goTo('b');
      expect(subject.active).toBe('b');
      history.steps.set('gone', stepsOf('lost', 'found'));
      await model.goTo('gone');
      await pass();
      expect(model.view).toBe('cell');
      expect(model.shown).toMatchObject({ cellId: 'gone', info: null });
      expect(model.actions.canRestore).toBe(false);
      subject.choose('a');
      await pass();
      expect(model.shown?.cellId).toBe('a');
      model.view = 'notebook';
      await model.goTo('gone');
      await pass();
      model.unpin();
      await pass();
      expect(model.shown?.cellId).toBe('a');
    });
  });
});
