import { ApiError } from '../../api/request';
import type { StreamEvent } from '../../api/types';
import { code, done, setup, start } from './generation.fakes';

describe('GenerationModel, on a decision about a suggestion', () => {
  it('knows when an answer changes nothing, which then can’t be accepted (P38)', async () => {
    const t = setup();
    t.model.open();
    void t.model.ask('修一下');
    const feed = await t.requested(1);
    feed.push(start(), done(1, 'x = 1\n'), null);
    await t.phase('suggested');
    expect(t.model.changesNothing).toBe(true);
    expect(await t.model.decision.accept()).toBe(false);
    expect(t.model.state.phase).toBe('suggested');
    expect(t.recorded).toEqual([]);
    t.model.decision.correct('x = 2');
    expect(t.model.changesNothing).toBe(false);
    t.model.decision.restore();
    t.target.apply('x = 3');
    t.model.decision.onSourceChanged();
    expect(t.model.state.isCellEdited).toBe(true);
    expect(t.model.changesNothing).toBe(false);
  });

  it('records how many changes of the suggestion are accepted in part', async () => {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    await t.answer('shout', 'A\nb\nc\nd\nE');
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
    await t.answer('shout', 'A\nb\nc\nd\nPrize');
    // The corrected line equals the cell's, so the diff has one change less.
    t.model.decision.correct('A\nb\nc\nd\nprice');
    expect(t.model.decision.isRevised).toBe(true);
    await t.model.decision.accept();
    const source = 'A\nb\nc\nd\nprice';
    expect(t.recorded).toEqual([
      { type: 'accept', turnId: 1, source, data: { corrected: source } }
    ]);
  });

  it('P40: records what the person chose and what they typed one by one', async () => {
    const t = setup({ source: '' });
    await t.answer('sum it', 'x = 1\ny = 2\nz = 3');
    t.model.decision.edit('x = 1\ny = 2\nz = 30');
    t.model.decision.correct('%pip install x\nx = 1\ny = 2\nz = 30');
    await t.model.decision.accept();
    const corrected = '%pip install x\nx = 1\ny = 2\nz = 3';
    expect(t.recorded).toMatchObject([
      { source: `${corrected}0`, data: { corrected } }
    ]);
  });

  it('counts only the rejected changes if a line was added, too', async () => {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    await t.answer('shout', 'A\nb\nc\nd\nE');
    t.model.decision.rejectChange(0);
    t.model.decision.correct('%pip install x\na\nb\nc\nd\nE');
    await t.model.decision.accept();
    expect(t.recorded).toMatchObject([
      { data: { hunks: { accepted: 1, of: 2 } } }
    ]);
  });

  it('rejects: leaves the cell unchanged and records it', async () => {
    const t = setup();
    await t.answer('do it', 'y');
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
      code: events.length === 3 ? 'x =' : '', // The part stays visible.
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
    void t.model.retry();
    await t.requested(2);
    expect(t.model.state.code).toBe('');
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
    await t.answer('one', 'a\nb');
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
    await t.answer('one', 'y');
    await t.model.decision.accept();
    expect(t.source()).toBe('y');
    expect(t.model.state).toMatchObject({ phase: 'idle', notice: 'unsaved' });
  });

  it.each(['accept', 'reject'] as const)(
    'does not save the notebook to %s: the turn has its id',
    async verb => {
      const t = setup();
      await t.answer('one', 'y');
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
      await t.answer('one', 'y');
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
    await t.answer('one', 'y');
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
      await t.answer('one', 'y');
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
