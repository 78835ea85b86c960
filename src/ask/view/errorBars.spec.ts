import { Notification } from '@jupyterlab/apputils';
import { CodeCell } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';
import { act } from 'react';

import type { IProblem } from '../../kernel/check';
import type { ITarget } from '../../cells/notebookCell';
import type { ISignal } from '../../kernel/signals';
import { ErrorBars } from './errorBars';
import { runCellsAbove } from './commands';
import type { NotebookAskManager } from './notebookAskManager';

function cellWith(outputs: object[]): CodeCell {
  const cell: CodeCell = Object.create(CodeCell.prototype);
  const layout = new PanelLayout();
  layout.addWidget(new Widget());
  const list = { length: outputs.length, get: (at: number) => outputs[at] };
  const model = {
    id: 'c1',
    outputs: { ...list, changed: new Signal({}) },
    stateChanged: new Signal({})
  };
  const members = {
    layout,
    model,
    ready: Promise.resolve(),
    isDisposed: false
  };
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(cell, name, { value });
  }
  return cell;
}

const ERROR = { type: 'error', toJSON: () => ({ ename: 'NameError' }) };

function setup(outputs: object[] = [ERROR]) {
  const cell = cellWith(outputs);
  const panel = {
    content: { widgets: [cell], model: null },
    disposed: new Signal({}),
    isDisposed: false
  };
  const problems: Partial<IProblem>[] = [];
  const check = jest.fn(async () => [...problems]);
  const error = () => "NameError: name 'np' is not defined";
  const target = { error, source: () => 'np', check };
  const applyRemedy = jest.fn();
  const hasRun = new Signal<object, void>({});
  const result: { current?: Partial<ISignal>[]; look: () => Promise<void> } = {
    look: async () => undefined
  };
  const get = () => ({ result });
  const manager = { applyRemedy, get, hasRun };
  const bars = new ErrorBars(
    panel as unknown as NotebookPanel,
    manager as unknown as NotebookAskManager,
    () => target as unknown as ITarget,
    nullTranslator.load('aiserver')
  );
  const settle = async () => {
    for (let i = 0; i < 3; i++) {
      await act(
        () =>
          new Promise<void>(resolve => requestAnimationFrame(() => resolve()))
      );
    }
  };
  const bar = () => {
    const { widgets } = cell.layout as PanelLayout;
    const isBar = (it: Widget) => it.hasClass('jp-AIServer-ErrorBar');
    return widgets.find(it => isBar(it) && !it.isDisposed)?.node;
  };
  const buttons = () => [...(bar()?.querySelectorAll('button') ?? [])];
  const ends = { applyRemedy, bar, bars, buttons };
  return { ...ends, cell, hasRun, problems, result, settle };
}

const texts = (buttons: HTMLButtonElement[]) =>
  buttons.map(({ textContent }) => textContent);

it('puts what helps without a model before “Fix it”', async () => {
  const t = setup();
  t.problems.push({ name: 'np', isDefinedAbove: true });
  await t.settle();
  expect(texts(t.buttons())).toEqual([
    'Run the cells above',
    'Fix it',
    'Explain the error'
  ]);
  t.buttons()[0].click();
  expect(t.applyRemedy).toHaveBeenCalledWith(t.cell, null);
  t.bars.dispose();
});

it('looks again after a run', async () => {
  const t = setup();
  await t.settle();
  t.problems.push({ name: 'np', package: 'lxml' });
  t.hasRun.emit();
  await t.settle();
  expect(texts(t.buttons())[0]).toBe('%pip install lxml');
  const [first] = t.buttons();
  t.hasRun.emit();
  await t.settle();
  expect(t.buttons()[0]).toBe(first); // It may have the focus.
  t.bars.dispose();
});

it('has the signals of a result until there is another one', async () => {
  const t = setup([]);
  await t.settle();
  expect(t.bar()).toBeUndefined();
  const counts = { before: 0, after: 0 };
  const signals = [{ kind: 'empty', name: 'df', labels: [], ...counts }];
  t.result.look = async () => void (t.result.current = signals);
  t.hasRun.emit();
  await t.settle();
  const bar = t.bar();
  expect(bar?.textContent).toContain('“df” is empty.');
  t.hasRun.emit();
  await t.settle();
  expect(t.bar()).toBe(bar);
  t.result.look = async () => void (t.result.current = undefined);
  t.hasRun.emit();
  await t.settle();
  expect(t.bar()).toBeUndefined();
  t.bars.dispose();
});

it('runs the cells above, takes the focus out of a row, and says if one fails', async () => {
  const execute = jest.fn(() => Promise.resolve(true));
  const say = jest.spyOn(Notification, 'error').mockReturnValue('');
  const row = document.createElement('div');
  row.className = 'jp-AIServer-Ask';
  const field = row.appendChild(document.createElement('textarea'));
  document.body.append(row);
  field.focus();
  const content = {
    activeCellIndex: 0,
    widgets: ['a', 'b'].map(id => ({ model: { id } }))
  };
  const app = { commands: { execute } } as never;
  const run = (id: string) =>
    runCellsAbove(
      app,
      { content } as never,
      id,
      nullTranslator.load('aiserver')
    );
  await run('a');
  expect(execute).not.toHaveBeenCalled();
  await run('b');
  expect(content.activeCellIndex).toBe(1);
  expect(execute.mock.calls[0]).toContain('notebook:run-all-above');
  expect(document.activeElement).toBe(document.body);
  expect(say).not.toHaveBeenCalled();
  execute.mockResolvedValue(false);
  await run('b');
  expect(say.mock.calls[0][0]).toContain('A cell above failed');
});
