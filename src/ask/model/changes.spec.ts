import { done, setup, start } from './generation.fakes';

describe('a change of a suggestion', () => {
  /** Get the suggestion `AbcdE` for the cell `abcde`; each letter is a line. */
  async function suggestTwoChanges() {
    const t = setup({ source: 'a\nb\nc\nd\ne' });
    await t.answer('shout', 'A\nb\nc\nd\nE');
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
    void t.model.decision.regenerateChange(1);
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
    await t.answer('less', 'a\nc');
    await t.model.decision.regenerateChange(0);
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
    void t.model.decision.regenerateChange(1);
    (await t.requested(2)).push(new Error('gone'));
    await t.until(({ failure }) => failure !== null);
    expect(t.model.state).toMatchObject({ draft: '', code: 'A\nb\nc\nd\nE' });
    await new Promise(resolve => setTimeout(resolve));
    expect(t.model.selectedLines).toBeNull();
    void t.model.retry();
    (await t.requested(3)).push(start(3));
    expect(t.bodies[2].context?.selection).toEqual({ first: 5, last: 5 });
  });
});
