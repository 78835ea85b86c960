/** Tests what a person is asked before an agent deletes or runs something. */
import { Notification } from '@jupyterlab/apputils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import type { PermitQuestion } from '../model/messages';
import { askPerson } from './permit';

const trans = nullTranslator.load('aiserver');
const QUESTION: PermitQuestion = {
  ...{ id: 'q', path: 'work/a.ipynb', agent: 'Codex', code: '', seconds: 45 },
  type: 'permit',
  act: 'run',
  cells: ['aa', 'bb', 'cc']
};

function ask(more: object = {}) {
  const disposed = new Signal<object, void>({});
  const panel = { disposed } as unknown as NotebookPanel;
  const showCell = jest.fn();
  const question = { ...QUESTION, ...more };
  const decision = askPerson(question, panel, showCell, trans);
  const shown = Notification.manager.notifications[0];
  const press = (label: string) =>
    shown.options.actions
      ?.find(action => action.label === label)
      ?.callback(new MouseEvent('click', { cancelable: true }));
  return { decision, disposed, press, showCell, text: shown.message };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => {
  jest.useRealTimers();
  expect(Notification.manager.count).toBe(0);
});

it.each([
  [{}, 'Codex asks to run 3 cells of a.ipynb.'],
  [{ cells: ['aa'] }, 'Codex asks to run 1 cell of a.ipynb.'],
  [{ act: 'delete', cells: ['aa'] }, 'Codex asks to delete a cell of a.ipynb.'],
  [
    { cells: [], code: '\nimport os\nos.getcwd()' },
    'Codex asks to run code in a.ipynb: import os'
  ]
])('says what the agent asks for', async (more, text) => {
  const t = ask(more);
  expect(t.text).toBe(text);
  t.press('Allow once');
  expect(await t.decision).toBe(true);
});

it('shows the cell, and waits for the decision', async () => {
  const t = ask();
  t.press('Show');
  expect(t.showCell).toHaveBeenCalledWith('aa');
  expect(Notification.manager.count).toBe(1);
  t.press('Don’t allow');
  expect(await t.decision).toBe(false);
});

it.each([
  ['.jp-mod-accept', true],
  ['.jp-mod-reject', false]
])('shows all code, and asks there, too', async (button, allowed) => {
  const t = ask({ cells: [], code: 'import os\nos.getcwd()' });
  t.press('Show');
  await Promise.resolve();
  const dialog = document.querySelector('.jp-Dialog')!;
  await jest.advanceTimersByTimeAsync(100);
  expect(dialog.querySelector('pre')!.textContent).toContain('os.getcwd()');
  dialog.querySelector<HTMLElement>(button)!.click();
  expect(await t.decision).toBe(allowed);
});

it('takes no answer, and a notebook that is closed, for no decision', async () => {
  const late = ask();
  jest.advanceTimersByTime(45_000);
  expect(await late.decision).toBeNull();
  const closed = ask({ cells: [], code: 'x' });
  closed.press('Show');
  await jest.advanceTimersByTimeAsync(100);
  closed.disposed.emit();
  expect(await closed.decision).toBeNull();
  await jest.advanceTimersByTimeAsync(100);
  expect(document.querySelector('.jp-Dialog')).toBeNull();
});
