import { ApiError } from '../../api/request';
import { MAX_MENTIONS } from './context/mentions';
import { done, setup, start } from './generation.fakes';
import { ANSWER, FakePastAnswers } from './pastAnswers.fakes';
import { PAUSE, offeredRequest } from './pastAnswers';

const TEXT = 'bar plot of prices';

describe('offeredRequest', () => {
  it.each([
    ['画出价格', '画出价格'],
    ['画价格', ''],
    ['  plot it ', ''],
    ['plot all', 'plot all'],
    ['/explain', ''],
    ['/visualise bars', ''],
    ['/visualise bar plot', 'bar plot'],
    ['/解释 这段代码', '这段代码']
  ])('of %j is %j', (text, expected) => {
    expect(offeredRequest(text)).toBe(expected);
  });
});

describe('PastAnswerOffer', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  function opened(source = '') {
    const answers = new FakePastAnswers();
    const t = setup({ source, pastAnswers: answers.source });
    t.model.open();
    const offer = t.model.pastAnswers!;
    const type = (text: string) => {
      t.model.inputText = text;
      offer.onText(text);
    };
    /** Type a text and wait for the pause. */
    const ask = (text = TEXT) => {
      type(text);
      jest.advanceTimersByTime(PAUSE);
    };
    const offered = async () => {
      ask();
      await answers.answer(ANSWER);
    };
    return { ...t, answers, offer, type, ask, offered };
  }

  it('asks once, after a pause, in the cell’s language', async () => {
    const { answers, offer, type } = opened();
    type('bar plot');
    jest.advanceTimersByTime(PAUSE - 1);
    type(TEXT);
    jest.advanceTimersByTime(PAUSE - 1);
    expect(answers.bodies).toEqual([]);
    jest.advanceTimersByTime(1);
    const cell = { notebookId: 'nb', language: 'python', cellType: 'code' };
    expect(answers.bodies).toEqual([{ ...cell, intent: TEXT }]);
    type(` ${TEXT} `);
    jest.runAllTimers();
    await answers.answer(ANSWER);
    expect(offer.answer).toBe(ANSWER);
    type('bar');
    expect(offer.answer).toBeNull();
    type(TEXT);
    jest.runAllTimers();
    expect(answers.asked).toEqual([TEXT]);
  });

  it('drops a late answer, and then asks about the newer text', async () => {
    const { answers, ask, offer } = opened();
    ask();
    ask('load customers.csv');
    expect(answers.asked).toEqual([TEXT]);
    await answers.answer(ANSWER);
    expect(offer.answer).toBeNull();
    jest.advanceTimersByTime(PAUSE);
    expect(answers.asked).toEqual([TEXT, 'load customers.csv']);
    await answers.answer(null);
    expect(offer.answer).toBeNull();
  });

  it('asks nothing if it is turned off, or while an answer arrives', async () => {
    const { answers, ask, model, requested, phase } = opened();
    answers.isWanted = false;
    ask();
    answers.isWanted = true;
    const sent = model.ask('x');
    ask('plot all prices');
    const feed = await requested(1);
    feed.push(start(1), done(1, 'y = 1'), null);
    await sent;
    await phase('suggested');
    ask('make the bars blue');
    expect(answers.bodies).toEqual([]);
  });

  it('offers nothing in a row that was closed or sent', async () => {
    const { answers, ask, model, offer } = opened();
    ask();
    model.close(TEXT);
    await answers.answer(ANSWER);
    expect(offer.answer).toBeNull();
    model.open();
    ask();
    await answers.answer(ANSWER);
    expect(offer.answer).toBe(ANSWER);
    void model.ask(TEXT);
    expect(offer.answer).toBeNull();
  });

  it('ignores failures, and asks no more if the person isn’t allowed to', async () => {
    const { answers, ask, model, offer } = opened();
    ask();
    await answers.answer(new Error('offline'));
    ask('plot all prices');
    // After the person has signed in again, the server is asked again.
    await answers.answer(new ApiError(403, 'unauthenticated', ''));
    ask('plot prices');
    expect(answers.bodies).toHaveLength(3);
    await answers.answer(new ApiError(403, 'not_owner', ''));
    ask('plot the mean price');
    expect(answers.bodies).toHaveLength(3);
    expect(offer.answer).toBeNull();
    expect(model.state.failure).toBeNull();
  });

  it('doesn’t offer a dismissed answer again', async () => {
    const { answers, ask, offer, offered } = opened();
    await offered();
    offer.dismiss();
    expect(offer.answer).toBeNull();
    ask('bar plot of all prices');
    await answers.answer(ANSWER);
    expect(offer.answer).toBeNull();
    ask('bar plot of all cities');
    const other = { ...ANSWER, turn_id: 5 };
    await answers.answer(other);
    expect(offer.answer).toBe(other);
  });

  it('sends an example with one request, and with its repetitions', async () => {
    const { answers, ask, bodies, model, offer, offered, requested } = opened();
    await offered();
    offer.useAsExample();
    expect(offer.answer).toBeNull();
    ask('bar plot of all prices');
    expect(answers.bodies).toHaveLength(1);
    const example = {
      kind: 'past_answer',
      name: 'sales.ipynb',
      source: 'df.plot.bar()',
      request: ANSWER.intent
    };
    const { mentions } = model.buildRequest(TEXT);
    expect(mentions).toEqual([example]);

    const failed = model.ask(TEXT);
    (await requested(1)).push(new Error('offline'));
    await failed;
    expect(model.example).toBe(ANSWER);
    const answered = model.retry();
    (await requested(2)).push(start(1), done(1, 'y = 1'), null);
    await answered;
    expect(model.example).toBeNull();
    const again = model.retry();
    (await requested(3)).push(start(2), done(2, 'y = 2'), null);
    await again;
    void model.ask('blue');
    await requested(4);
    const sent = bodies.map(({ context }) => context?.mentions);
    expect(sent).toEqual([[example], [example], [example], undefined]);
  });

  it('sends an example with all mentions that the row shows', async () => {
    const { model, offer, offered } = opened();
    const variables = Array.from({ length: MAX_MENTIONS }, (_, index) => ({
      name: `value${index}`,
      kind: 'int',
      value: `${index}`
    }));
    model.setState({ kernel: { ...model.state.kernel, variables } });
    await offered();
    offer.useAsExample();
    const text = `compare ${variables.map(({ name }) => `@${name}`).join(' ')}`;
    const shown = model.mentions(text);
    expect(shown).toHaveLength(MAX_MENTIONS);
    const { mentions } = model.buildRequest(text);
    expect(mentions?.length).toBe(MAX_MENTIONS + 1);
    expect(mentions?.slice(1)).toEqual(shown);
  });

  it('sends no example that was removed, or after the row was closed', async () => {
    const { model, offer, offered } = opened();
    await offered();
    offer.useAsExample();
    offer.removeExample();
    expect(model.buildRequest(TEXT).mentions).toEqual([]);
    model.close();
    model.open();
    await offered();
    offer.useAsExample();
    model.close();
    expect(model.buildRequest(TEXT).mentions).toEqual([]);
  });

  it.each([
    ['', 'df.plot.bar()'],
    ['x = 1', 'x = 1\n\ndf.plot.bar()'],
    ['x = 1\n', 'x = 1\n\ndf.plot.bar()']
  ])('inserts the code below %j, with its source (P40)', async (own, code) => {
    const t = opened(own);
    await t.offered();
    await t.offer.insert();
    expect(t.source()).toBe(code);
    expect(t.target.ensure).toHaveBeenCalled();
    expect(t.recorded).toEqual([
      {
        type: 'edit',
        source: code,
        contributor: { kind: 'model', name: 'test:model' },
        data: {
          past_answer: {
            notebook_id: 'other',
            cell_id: 'c9',
            turn_id: 4,
            notebook: 'sales.ipynb'
          }
        }
      }
    ]);
    expect(t.model.state).toMatchObject({ phase: 'idle', draft: TEXT });
    expect(t.bodies).toEqual([]);
    t.model.open();
    t.ask();
    await t.answers.answer(ANSWER);
    expect(t.offer.answer).toBeNull();
  });

  it('writes nothing into a cell that was deleted, or whose row was closed', async () => {
    const t = opened('x');
    await t.offered();
    const closed = t.offer.insert();
    t.model.close();
    await closed;
    expect(t.source()).toBe('x');
    t.model.open();
    await t.offered();
    t.remove();
    await t.offer.insert();
    expect(t.model.state.notice).toBe('not_written');
    t.target.ensure.mockRejectedValueOnce(new Error('Not saved.'));
    await t.offer.insert();
    expect(t.model.state.failure?.message).toBe('Not saved.');
    expect(t.recorded).toEqual([]);
  });
});
