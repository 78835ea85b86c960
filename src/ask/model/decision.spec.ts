import { ApiError } from '../../api/request';
import type { StreamEvent } from '../../api/types';
import { code, done, setup, start } from './generation.fakes';

describe('GenerationModel, on a decision about a suggestion', () => {
  it('sets a notice for an answer that changes nothing, until the cell is edited (P38)', async () => {
    const t = setup();
    t.model.open();
    void t.model.ask('修一下');
    const feed = await t.requested(1);
    feed.push(start(), done(1, 'x = 1\n'), null);
    await t.phase('suggested');
    expect(t.model.state.notice).toBe('same');
    t.target.apply('x = 3');
    t.model.decision.onSourceChanged();
    expect(t.model.state).toMatchObject({ notice: null, isCellEdited: true });
  });

  /** Get the suggestion `AbcdE` for the cell `abcde`; each letter is a line. */
  async function suggestTwoChanges() {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    void t.model.ask('shout');
    (await t.requested(1)).push(start(), done(1, 'A\nb\nc\nd\nE'), null);
    await t.phase('suggested');
    return t;
  }

  it('accepts change by change, and records each of them', async () => {
    const t = await suggestTwoChanges();
    await t.model.decision.acceptChange(1);
    expect(t.source()).toBe('a\nb\nc\nd\nE');
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      code: 'A\nb\nc\nd\nE',
      isCellEdited: false
    });
    await t.model.decision.acceptChange(0);
    expect(t.source()).toBe('A\nb\nc\nd\nE');
    expect(t.model.state.phase).toBe('idle');
    // The last one decides on the suggestion.
    const accept = { type: 'accept', turnId: 1 };
    expect(t.recorded).toEqual([
      {
        ...accept,
        source: 'a\nb\nc\nd\nE',
        data: { part: true, hunks: { accepted: 1, of: 2 } }
      },
      {
        ...accept,
        source: 'A\nb\nc\nd\nE',
        data: { hunks: { accepted: 2, of: 2 } }
      }
    ]);
  });

  it('stays open when the acceptance of a change arrives as an event of its own', async () => {
    const t = await suggestTwoChanges();
    t.history.record.mockImplementation(
      async (key, events) => void t.history.eventsQueued.emit({ key, events })
    );
    await t.model.decision.acceptChange(0);
    expect(t.model.state.phase).toBe('suggested');
    await t.model.decision.accept();
    expect(t.source()).toBe('A\nb\nc\nd\nE');
  });

  it('has a change again after its acceptance was undone', async () => {
    const t = await suggestTwoChanges();
    await t.model.decision.acceptChange(0);
    t.edit('a\nb\nc\nd\ne');
    t.model.decision.onSourceChanged();
    expect(t.model.state).toMatchObject({
      code: 'A\nb\nc\nd\nE',
      isCellEdited: false
    });
  });

  it('counts accepted and rejected changes', async () => {
    const t = await suggestTwoChanges();
    t.model.decision.rejectChange(0);
    await t.model.decision.acceptChange(0);
    expect(t.source()).toBe('a\nb\nc\nd\nE');
    expect(t.model.state.phase).toBe('idle');
    expect(t.recorded).toMatchObject([
      { data: { hunks: { accepted: 1, of: 2 } } }
    ]);
  });

  it('records no acceptance of a change that could not be written', async () => {
    const t = await suggestTwoChanges();
    t.target.apply.mockReturnValueOnce(false);
    await t.model.decision.acceptChange(0);
    expect(t.model.state.notice).toBe('not_written');
    expect(t.recorded).toEqual([]);
    await t.model.decision.acceptChange(0);
    expect(t.recorded).toMatchObject([
      { data: { hunks: { accepted: 1, of: 2 } } }
    ]);
  });

  it('selects the next and previous change, and then the one in its place', async () => {
    const t = await suggestTwoChanges();
    const { decision } = t.model;
    const select = (direction: 1 | -1) => {
      decision.selectChange(direction);
      return t.model.state.change;
    };
    expect([select(1), select(1), select(1), select(-1)]).toEqual([0, 1, 0, 1]);
    expect(decision.selectedRange).toEqual({ from: 8, to: 9 });
    await decision.acceptChange(1);
    expect(t.model.state.change).toBe(0);
    expect(decision.changeAt(0)).toBe(0);
    expect(decision.changeAt(4)).toBe(-1);
  });

  it('regenerates one change, and then the whole request', async () => {
    const t = await suggestTwoChanges();
    void t.model.regenerateChange(1);
    (await t.requested(2)).push(start(2), done(2, 'A\nb\nc\nd\nX'), null);
    await t.phase('suggested');
    expect(t.bodies[1]).toMatchObject({
      intent: 'shout',
      source: 'A\nb\nc\nd\nE',
      mode: 'retry',
      parentTurnId: 1,
      context: { selection: { first: 5, last: 5 } }
    });
    expect(t.model.state.code).toBe('A\nb\nc\nd\nX');
    await new Promise(resolve => setTimeout(resolve));
    void t.model.retry();
    (await t.requested(3)).push(start(3));
    expect(t.bodies[2]).toMatchObject({ intent: 'shout', mode: 'retry' });
    expect(t.bodies[2].source).toBe('a\nb\nc\nd\ne');
    expect(t.bodies[2].context?.selection).toBeUndefined();
  });

  it('regenerates no change that only removes lines', async () => {
    const t = setup({ source: 'a\nb\nc' });
    void t.model.ask('less');
    (await t.requested(1)).push(start(), done(1, 'a\nc'), null);
    await t.phase('suggested');
    await t.model.regenerateChange(0);
    expect(t.bodies).toHaveLength(1);
  });

  it('writes what the person has edited, and checks it after a pause', async () => {
    jest.useFakeTimers();
    const t = await suggestTwoChanges();
    t.target.check.mockClear();
    t.model.decision.edit('A\nb\nc\nd\nE!');
    t.model.decision.edit('A\nb\nc\nd\nE!!');
    expect(t.target.check).not.toHaveBeenCalled();
    jest.runAllTimers();
    jest.useRealTimers();
    expect(t.target.check.mock.calls[0][0]).toBe('A\nb\nc\nd\nE!!');
    expect(t.target.check).toHaveBeenCalledTimes(1);
    await t.model.decision.accept();
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'A\nb\nc\nd\nE!!' }
    ]);
  });

  it('follows changes of other lines of the cell, and reports those of its own lines', async () => {
    const t = await suggestTwoChanges();
    t.edit('a\nb\nX\nd\ne');
    t.model.decision.onSourceChanged();
    expect(t.model.state).toMatchObject({
      code: 'A\nb\nX\nd\nE',
      isCellEdited: false
    });
    t.edit('y\nb\nX\nd\ne');
    t.model.decision.onSourceChanged();
    expect(t.model.state).toMatchObject({
      code: 'A\nb\nX\nd\nE',
      isCellEdited: true
    });
    // Neither button removes the change of the other window.
    t.edit('a\nb\nX\nd\ne');
    t.model.decision.onSourceChanged();
    t.model.decision.rejectChange(0);
    t.model.decision.restore();
    expect(t.model.state.code).toBe('A\nb\nX\nd\nE');
    void t.model.retry();
    (await t.requested(2)).push(start(2));
    expect(t.bodies[1].source).toBe('a\nb\nX\nd\ne');
  });

  it('repeats a failed request for one change, and its lines, on another try', async () => {
    const t = await suggestTwoChanges();
    void t.model.regenerateChange(1);
    (await t.requested(2)).push(new Error('gone'));
    await t.until(({ failure }) => failure !== null);
    expect(t.model.state).toMatchObject({ draft: '', code: 'A\nb\nc\nd\nE' });
    await new Promise(resolve => setTimeout(resolve));
    expect(t.model.selectedLines).toBeNull();
    void t.model.retry();
    (await t.requested(3)).push(start(3));
    expect(t.bodies[2].context?.selection).toEqual({ first: 5, last: 5 });
  });

  it('records how many changes of the suggestion are accepted in part', async () => {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    void t.model.ask('shout');
    (await t.requested(1)).push(start(), done(1, 'A\nb\nc\nd\nE'), null);
    await t.phase('suggested');
    t.model.decision.rejectChange(1);
    await t.model.decision.accept();
    expect(t.recorded).toEqual([
      {
        type: 'accept',
        turnId: 1,
        source: 'A\nb\nc\nd\ne',
        data: { hunks: { accepted: 1, of: 2 } }
      }
    ]);
  });

  it('records a suggestion as accepted as a whole after a name was replaced', async () => {
    const t = setup({ source: 'a\nb\nc\nd\nprice' });
    void t.model.ask('shout');
    (await t.requested(1)).push(start(), done(1, 'A\nb\nc\nd\nPrize'), null);
    await t.phase('suggested');
    // The corrected line equals the cell's, so the diff has one change less.
    t.model.decision.correct('A\nb\nc\nd\nprice');
    expect(t.model.decision.isRevised).toBe(true);
    await t.model.decision.accept();
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source: 'A\nb\nc\nd\nprice' }
    ]);
  });

  it('counts only the rejected changes if a line was added, too', async () => {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    void t.model.ask('shout');
    (await t.requested(1)).push(start(), done(1, 'A\nb\nc\nd\nE'), null);
    await t.phase('suggested');
    t.model.decision.rejectChange(0);
    t.model.decision.correct('%pip install x\na\nb\nc\nd\nE');
    await t.model.decision.accept();
    expect(t.recorded).toMatchObject([
      { data: { hunks: { accepted: 1, of: 2 } } }
    ]);
  });

  it('rejects: leaves the cell unchanged and records it', async () => {
    const t = setup();
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    await t.model.decision.reject();
    expect(t.source()).toBe('x = 1');
    expect(t.recorded).toEqual([
      { type: 'reject', turnId: 1, source: 'x = 1' }
    ]);
    // The row shows the next turn's number when it opens again.
    expect(t.model.state).toMatchObject({ phase: 'idle', turnId: 2 });
  });

  it.each<[string, (StreamEvent | Error | null)[]]>([
    ['the connection closes without an event', [null]],
    ['it is cut off after the start', [start(), null]],
    ['it is cut off within the code', [start(), code('x ='), null]],
    ['the body breaks', [start(), code('x ='), new Error('network error')]]
  ])('ends once and as interrupted when %s (P32, P36)', async (_, events) => {
    const t = setup();
    t.steps.push({ kind: 'turn', title: 'do it', turnId: 1 });
    void t.model.ask('do it');
    (await t.requested(1)).push(...events);
    const state = await t.phase('failed');
    expect(state).toMatchObject({
      code: '',
      draft: 'do it',
      // The interrupted generation is a turn: the row shows the next one.
      turnId: events[0] ? 2 : null,
      failure: { code: 'interrupted' }
    });
    expect(await t.model.decision.accept()).toBe(false);
    expect(t.source()).toBe('x = 1');
    const ends = t.states.filter(({ phase }) =>
      ['suggested', 'failed', 'stopped'].includes(phase)
    );
    expect(ends).toHaveLength(1);
    // The history is notified once the interrupted turn is saved.
    await t.untilNotified(events[0] ? 1 : 0);
    expect(t.notified).toHaveLength(events[0] ? 1 : 0);
  });

  it('writes nothing if the cell was deleted (P34)', async () => {
    const t = setup();
    void t.model.ask('one');
    const feed = await t.requested(1);
    t.remove();
    feed.push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    expect(await t.model.decision.accept()).toBe(false);
    expect(t.model.state.notice).toBe('not_written');
    expect(t.recorded).toEqual([]);
  });

  it('writes the rest after parts were removed', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'a\nb'), null);
    await t.phase('suggested');
    t.model.decision.edit('a');
    expect(t.model.decision.isRevised).toBe(true);
    t.model.decision.restore();
    expect(t.model.decision.isRevised).toBe(false);
    t.model.decision.edit('a');
    await t.model.decision.accept();
    expect(t.source()).toBe('a');
    expect(t.recorded).toMatchObject([{ type: 'accept', source: 'a' }]);
  });

  it('writes the code and sets a notice if Accept could not be recorded', async () => {
    const t = setup();
    t.history.record.mockRejectedValueOnce(new ApiError(507, 'full', 'full'));
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    await t.model.decision.accept();
    expect(t.source()).toBe('y');
    expect(t.model.state).toMatchObject({ phase: 'idle', notice: 'unsaved' });
  });

  it.each(['accept', 'reject'] as const)(
    'does not save the notebook to %s: the turn has its id',
    async verb => {
      const t = setup();
      void t.model.ask('one');
      (await t.requested(1)).push(start(), done(1, 'y'), null);
      await t.phase('suggested');
      t.target.ensure.mockRejectedValue(new Error('It could not be saved.'));
      await t.model.decision[verb]();
      expect(t.recorded).toMatchObject([{ type: verb, turnId: 1 }]);
      expect(t.model.state.notice).toBeNull();
    }
  );

  it.each(['accept', 'reject'] as const)(
    'preserves the typed text on %s',
    async verb => {
      const t = setup();
      void t.model.ask('one');
      (await t.requested(1)).push(start(), done(1, 'y'), null);
      await t.phase('suggested');
      t.model.inputText = 'and shorter';
      await t.model.decision[verb]();
      expect(t.recorded).toMatchObject([{ type: verb }]);
      expect(t.source()).toBe(verb === 'accept' ? 'y' : 'x = 1');
      expect(t.model.state).toMatchObject({
        phase: 'editing',
        draft: 'and shorter',
        turnId: 2
      });
      void t.model.ask('and shorter');
      await t.requested(2);
      expect(t.bodies[1]).toMatchObject({ source: t.source() });
      expect(t.bodies[1].parentTurnId).toBeUndefined();
    }
  );

  it('marks a cell that was edited meanwhile, until it is restored (P34)', async () => {
    const t = setup();
    void t.model.ask('one');
    const feed = await t.requested(1);
    feed.push(start(), code('y'));
    await t.phase('streaming');
    t.edit('x = 1  # mine');
    t.model.decision.onSourceChanged();
    expect(t.model.state.isCellEdited).toBe(false);
    feed.push(done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.model.state.isCellEdited).toBe(true);
    t.edit('x = 1');
    t.model.decision.onSourceChanged();
    expect(t.model.state.isCellEdited).toBe(false);
    t.edit('x = 3');
    t.model.decision.onSourceChanged();
    expect(t.model.state.isCellEdited).toBe(true);
  });

  it('still marks it after a further request without an answer (P34)', async () => {
    const t = setup();
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    t.edit('x = 3');
    t.model.decision.onSourceChanged();
    void t.model.ask('two');
    await t.requested(2);
    expect(t.model.state.isCellEdited).toBe(false);
    t.model.stop();
    expect(t.model.state).toMatchObject({
      phase: 'suggested',
      notice: 'stopped',
      isCellEdited: true
    });
    t.edit('x = 1');
    t.model.decision.onSourceChanged();
    expect(t.model.state).toMatchObject({
      notice: 'stopped',
      isCellEdited: false
    });
  });

  it('promises to record later only what is queued', async () => {
    const t = setup();
    const refused = new ApiError(409, 'session_too_new', 'Too new.');
    t.history.record.mockRejectedValueOnce(refused);
    t.model.open();
    await t.model.reset();
    expect(t.model.state.notice).toBe('not_recorded');
    t.history.record.mockRejectedValueOnce(new ApiError(507, 'full', 'full'));
    await t.model.reset();
    expect(t.model.state.notice).toBe('unsaved');
  });

  describe('from another view', () => {
    const open = async () => {
      const t = setup();
      void t.model.ask('one');
      (await t.requested(1)).push(start(), done(1, 'y'), null);
      await t.phase('suggested');
      return t;
    };
    const key = { notebookId: 'nb', cellId: 'c1' };

    it.each(['accept', 'reject'])('closes the row after %s', async type => {
      const t = await open();
      t.history.eventsQueued.emit({ key, events: [{ type, turnId: 1 }] });
      expect(t.model.state).toMatchObject({ phase: 'idle', turnId: 2 });
      await t.model.decision.reject(); // Esc, pressed too late
      expect(t.recorded).toEqual([]);
    });

    it('stays open after decisions on other turns and in other cells', async () => {
      const t = await open();
      const events = [{ type: 'accept', turnId: 1 }];
      t.history.eventsQueued.emit({ key: { ...key, cellId: 'c2' }, events });
      t.history.eventsQueued.emit({
        key,
        events: [{ type: 'reject', turnId: 7 }]
      });
      t.history.eventsQueued.emit({ key, events: [{ type: 'run' }] });
      expect(t.model.state.phase).toBe('suggested');
    });

    it.each(['accepted', 'rejected'] as const)(
      'closes the row when another window has %s it',
      async outcome => {
        const t = await open();
        t.steps.push({ kind: 'turn', turnId: 1, outcome: 'open' });
        t.history.changed.emit({ ...key, isRemote: true });
        await Promise.resolve();
        expect(t.model.state.phase).toBe('suggested');
        t.steps[0] = { ...t.steps[0], outcome };
        t.history.changed.emit({ ...key, isRemote: true });
        await t.phase('idle');
        expect(t.recorded).toEqual([]);
      }
    );

    it.each(['accepted', 'rejected'] as const)(
      'records no reject if a window without a shared document has %s it',
      async outcome => {
        const t = await open();
        t.steps.push({ kind: 'turn', turnId: 1, outcome });
        await t.model.decision.reject(); // Esc, pressed too late
        expect(t.model.state.phase).toBe('idle');
        expect(t.recorded).toEqual([]);
      }
    );

    it('records the reject if the history can’t be read', async () => {
      const t = await open();
      t.history.replay.mockRejectedValueOnce(new Error('offline'));
      await t.model.decision.reject();
      expect(t.recorded).toMatchObject([{ type: 'reject', turnId: 1 }]);
    });
  });
});
