import { Clipboard } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';

import {
  FakeAgainCell,
  OTHER_MODEL,
  turnsOf
} from '../../model/again/again.fakes';
import { ReplayModel } from '../../model/replay';
import { FAKE_HOST, FakeHistory, FakeSubject } from '../../model/replay.fakes';
import { chooseEntry } from '../../../ui/menuButton.fakes';
import type { ReplayPanel } from '../panel';
import { createPanel, until } from '../panel.fakes';

const trans = nullTranslator.load('');
const TURNS = [
  {
    code: 'a = 1',
    receipt: { inputTokens: 1200, outputTokens: 40, totalMs: 900 }
  },
  { code: 'a = 2', receipt: { inputTokens: 900, outputTokens: 30, cost: 0.5 } }
];

describe('the section in which the history is asked again', () => {
  let cell: FakeAgainCell;
  let history: FakeHistory;
  let model: ReplayModel;
  let panel: ReplayPanel;

  beforeEach(async () => {
    const subject = new FakeSubject();
    history = new FakeHistory();
    history.steps.set('a', turnsOf(...TURNS));
    cell = new FakeAgainCell();
    model = new ReplayModel(subject, history, FAKE_HOST, {
      findCell: () => cell,
      pickModel: ({ choose }) => choose(OTHER_MODEL)
    });
    panel = createPanel(model);
    Widget.attach(panel, document.body);
    await until(more);
  });

  afterEach(() => {
    panel.dispose();
    model.dispose();
  });

  const button = (label: string) =>
    [...panel.node.querySelectorAll('button')].find(
      node => (node.getAttribute('aria-label') ?? node.textContent) === label
    );
  const more = () => button('More about this step');
  const section = () =>
    panel.node.querySelector<HTMLElement>('.jp-AIServer-Replay-again');
  const text = () => section()?.textContent ?? '';
  const open = async () => {
    chooseEntry(more()!, 'Ask the history again…');
    await until(section);
  };
  const escape = () =>
    section()!.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
  /** Add the turns that the cell has answered to its steps. */
  const addAnswers = (...codes: string[]) => {
    history.steps.set(
      'a',
      turnsOf(
        ...TURNS,
        ...codes.map((code, index) => ({
          code,
          turnId: 10 + index,
          repeatsTurnId: index + 1,
          outcome: 'repeated' as const,
          applied: false,
          parent: index ? 1 + index : null,
          model: 'test:other',
          receipt: { inputTokens: 100, outputTokens: 10, totalMs: 1500 }
        }))
      )
    );
    history.notify({ notebookId: 'nb', cellId: 'a' });
  };

  it('opens with the focus on the choice of the model, and Esc returns it', async () => {
    await open();
    const choice = await until(() => button('Choose a model…'));
    await until(() => document.activeElement === choice);
    expect(text()).toContain('2 requests led to this version.');
    expect(button('Ask 2 requests')!.getAttribute('aria-disabled')).toBe(
      'true'
    );
    escape();
    await until(() => !section());
    expect(document.activeElement).toBe(more());
  });

  it('warns that the cells above run again, only if the answers are run', async () => {
    await open();
    expect(text()).not.toContain('fresh kernel');
    section()!.querySelector('input')!.click();
    await until(() => text().includes('fresh kernel'));
    expect(text()).toContain('may write files');
  });

  it('shows the progress, stops with Esc, and compares the answers in a table', async () => {
    await open();
    (await until(() => button('Choose a model…')))!.click();
    await until(() => button('Model: Other'));
    cell.answers.push('x');
    button('Ask 2 requests')!.click();
    await until(() => text().includes('Other: request 2 of 2…'));
    await until(() => document.activeElement === button('Stop'));
    escape();
    await until(() => button('Continue'));
    expect(text()).toContain('1 of 2 answered');
    expect(document.activeElement).toBe(button('Continue'));
    cell.problems.set('x', 0).set('y', 3);
    cell.answers.push('y');
    button('Continue')!.click();
    await until(() => text().includes('Other has answered all requests.'));
    addAnswers('x', 'y');
    await until(() => text().includes('200 / 20'));

    const rows = [...section()!.querySelectorAll('tr')].map(row =>
      [...row.children].map(node => node.textContent)
    );
    expect(rows[0]).toEqual(['Model', 'Problems', 'Tokens', 'Time', 'Cost']);
    expect(rows.slice(-3)).toEqual([
      ['All requests'],
      ['model', '–', '2,100 / 70', '≥ 0.9 s', '≥ $0.50'],
      ['other', '3', '200 / 20', '3 s', '']
    ]);
    button('make a = 1')!.click();
    await until(() => model.player.position === 2);

    const copied: unknown[] = [];
    jest
      .spyOn(Clipboard, 'copyToSystem')
      .mockImplementation(markdown => void copied.push(markdown));
    button('Copy as Markdown')!.click();
    expect(String(copied[0]).split('\n').slice(0, 2)).toEqual([
      '| Request | Model | Problems | Tokens | Time | Cost |',
      '| --- | --- | --- | --- | --- | --- |'
    ]);
    button('Close')!.click();
    await until(() => !section());
  });

  it('shows the sentence about a failure, and “Continue”', async () => {
    await open();
    (await until(() => button('Choose a model…')))!.click();
    await until(() => button('Model: Other'));
    cell.answers.push(new Error('interrupted'));
    button('Ask 2 requests')!.click();
    await until(() => section()?.querySelector('[role="alert"]'));
    expect(text()).toContain(
      trans.__('The answer was interrupted before it was complete. Try again.')
    );
    expect(button('Continue')).toBeTruthy();
  });

  it('shows the table of a stored branch again', async () => {
    addAnswers('x', 'y');
    model.player.goTo(3);
    await until(() => model.steps.all.length === 4);
    model.player.goTo(3);
    await until(() => model.again.canShowTable);
    chooseEntry(more()!, 'Compare with the original answers');
    await until(() => text().includes('All requests'));
    await until(
      () => document.activeElement?.getAttribute('role') === 'region'
    );
    expect(panel.node.textContent).toContain('asked again');
  });
});
