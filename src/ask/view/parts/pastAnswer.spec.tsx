import { act } from 'react';

import { ANSWER, FakePastAnswers } from '../../model/pastAnswers.fakes';
import { PAUSE } from '../../model/pastAnswers';
import { button, setup } from '../promptRow.fakes';

const TEXT = 'bar plot of prices';

async function offered(
  answer = ANSWER,
  options: Parameters<typeof setup>[0] = {}
) {
  const answers = new FakePastAnswers();
  const t = await setup({ pastAnswers: answers.source, ...options });
  jest.useFakeTimers();
  await t.type(TEXT);
  await act(async () => void jest.advanceTimersByTime(PAUSE));
  jest.useRealTimers();
  await act(() => answers.answer(answer));
  await t.settle();
  const press = async (name: string) => {
    await act(async () => button(t.row, name)!.click());
    await t.settle();
  };
  const group = () =>
    t.row.node.querySelector<HTMLElement>('.jp-AIServer-Ask-pastAnswer');
  return { ...t, press, group };
}

describe('the offer of a past answer', () => {
  afterEach(() => jest.restoreAllMocks());

  it('names the notebook and the request, below the field and the buttons', async () => {
    const { group, row } = await offered();
    const sentence =
      /^You did this in sales\.ipynb \(.+\): “bar plot of the mean price by city”$/;
    expect(group()!.querySelector('span')!.textContent).toMatch(sentence);
    const statuses = [...row.node.querySelectorAll('[role="status"]')];
    const announced = statuses.filter(node => sentence.test(node.textContent!));
    expect(announced).toHaveLength(1);
    const bar = row.node.querySelector('.jp-AIServer-Ask-bar')!;
    const { DOCUMENT_POSITION_FOLLOWING } = Node;
    expect(bar.compareDocumentPosition(group()!)).toBe(
      DOCUMENT_POSITION_FOLLOWING
    );
  });

  it('shows the code as text, and opens the notebook on demand', async () => {
    const showTurn = jest.fn();
    const code = '"<img src=x onerror=alert(1)>"';
    const answer = { ...ANSWER, code };
    const { group, press } = await offered(answer, { showTurn });
    expect(group()!.querySelector('pre')).toBeNull();
    await press('Show');
    expect(group()!.querySelector('pre')!.textContent).toBe(code);
    expect(group()!.querySelector('img')).toBeNull();
    await press('Open in its notebook');
    expect(showTurn).toHaveBeenCalledWith(answer, 'work/sales.ipynb');
    await press('Hide');
    expect(group()!.querySelector('pre')).toBeNull();
  });

  it('has no link to a notebook that was moved or deleted', async () => {
    const answer = { ...ANSWER, path: null };
    const { group, press, row } = await offered(answer, {
      showTurn: jest.fn()
    });
    expect(group()!.textContent).toContain(
      'You did this in another notebook ('
    );
    await press('Show');
    expect(button(row, 'Open in its notebook')).toBeUndefined();
  });

  it('becomes a chip that can be removed', async () => {
    const { field, group, model, press, row } = await offered();
    await press('Use as example');
    expect(group()).toBeNull();
    expect(document.activeElement).toBe(field);
    const chip = row.node.querySelector('.jp-AIServer-Ask-chip')!;
    expect(chip.textContent).toContain('Example from sales.ipynb');
    expect(model.buildRequest(TEXT).mentions).toHaveLength(1);
    await act(async () => chip.querySelector('button')!.click());
    expect(model.buildRequest(TEXT).mentions).toEqual([]);
    expect(document.activeElement).toBe(field);
  });

  it('is dismissed, or its code is inserted', async () => {
    const apply = jest.fn(() => true);
    const dismissed = await offered(ANSWER, { apply });
    await dismissed.press('Not now');
    expect(dismissed.group()).toBeNull();
    expect(document.activeElement).toBe(dismissed.field);
    expect(apply).not.toHaveBeenCalled();
    const { press } = await offered(ANSWER, { apply });
    await press('Insert');
    expect(apply).toHaveBeenCalledWith('df.plot.bar()');
  });
});
