import { Clipboard } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import * as React from 'react';
import { act } from 'react';

import { requestTitle } from '../../labels/requestTitle';
import type { IModels } from '../../tokens';
import { explainErrorRequest } from './promptLabels';
import { LOCAL, button, setState, setup, suggest } from './promptRow.fakes';

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

describe('PromptRow, with problems and failures', () => {
  it('shows what is wrong with a suggestion, and corrects a name by a click', async () => {
    const t = await setup();
    suggest(t.model);
    setState(t.model, {
      code: 'df["prise"]',
      problems: [
        {
          kind: 'missing_column',
          name: 'prise',
          line: 1,
          column: 3,
          endLine: 1,
          endColumn: 10,
          message: "The DataFrame has no column 'prise'.",
          candidates: ['price']
        }
      ]
    });
    t.row.update();
    await t.settle();
    expect(t.row.node.textContent).toContain('no column “prise”');
    const repair = jest.spyOn(t.model.decision, 'repair');
    repair.mockResolvedValue();
    await act(async () => button(t.row, 'Ask for a repair')?.click());
    expect(repair.mock.calls[0][0]).toContain("Did you mean 'price'?");
    await act(async () => button(t.row, 'price')?.click());
    await t.settle();
    expect(t.model.state).toMatchObject({ code: 'df["price"]', problems: [] });
    expect(button(t.row, 'Ask for a repair')).toBeUndefined();
  });

  it('sends one request, with all typed text, after looking for a model', async () => {
    const t = await setup({
      models: [{ ...LOCAL, ready: false }],
      modelServices: {
        renderOffer: () => <p>none yet</p>
      } as unknown as IModels
    });
    let finishRefresh = () => undefined as void;
    const refreshed = new Promise<void>(resolve => (finishRefresh = resolve));
    jest.spyOn(t.model, 'refreshModel').mockImplementation(async () => {
      await refreshed;
      setState(t.model, { failure: null });
    });
    await t.type('draw');
    await t.press('Enter');
    await t.type('draw a line');
    await t.press('Enter');
    expect(t.ask).not.toHaveBeenCalled();
    await act(async () => finishRefresh());
    expect(t.ask.mock.calls).toEqual([['draw a line', 'draw a line']]);
    expect(t.field.value).toBe('');
  });

  it('opens the settings of the failed provider, and clears the failure afterwards', async () => {
    const connect = jest.fn(async () => true);
    const t = await setup({ modelServices: { connect } as unknown as IModels });
    const provider = { name: 'openai', label: 'OpenAI' };
    const message = 'OpenAI rejected the API key.';
    const failure = { code: 'model_auth_failed', message, provider };
    setState(t.model, { phase: 'failed', failure });
    t.row.update();
    await t.settle();
    const alert = () => t.row.node.querySelector('[role=alert]');
    expect(alert()?.textContent).toContain('OpenAI rejected the API key');
    await act(async () => button(t.row, 'Model settings')?.click());
    expect(connect).toHaveBeenCalledWith('openai');
    await t.settle();
    expect(alert()).toBeNull();
    expect(document.activeElement).toBe(t.field);
  });

  it('focuses the setup when no model can answer', async () => {
    const renderOffer = jest.fn(({ attempts }) => <p>{`tried ${attempts}`}</p>);
    const t = await setup({
      models: [{ ...LOCAL, ready: false }],
      modelServices: { renderOffer } as unknown as IModels
    });
    await t.type('draw');
    await t.press('Enter');
    await t.settle();
    expect(t.row.node.textContent).toContain('tried 1');
    expect(t.field.value).toBe('draw');
    expect(t.ask).not.toHaveBeenCalled();
  });

  it('offers to fix the cell’s error, and shows it', async () => {
    const t = await setup({ error: "KeyError: 'prize'" });
    await t.type('half a request');
    const fix = button(t.row, 'Fix it');
    expect(fix?.title).toContain("KeyError: 'prize'");
    await act(async () => fix?.click());
    await t.settle();
    expect(t.ask.mock.calls).toEqual([
      ["Fix this error:\nKeyError: 'prize'", '']
    ]);
    expect(t.field.value).toBe('half a request');
    suggest(t.model); // The suggestion is newer than the error.
    t.row.update();
    await t.settle();
    expect(button(t.row, 'Fix it')).toBeUndefined();
    const other = await setup();
    expect(button(other.row, 'Fix it')).toBeUndefined();
  });

  it('adds to the error what the kernel finds in the cell’s code', async () => {
    const position = { line: 1, column: 0, endLine: 1, endColumn: 1 };
    const problem = { ...position, kind: '', name: '' };
    const column = {
      ...problem,
      line: 2,
      message: "The DataFrame has no column 'prize'.",
      candidates: ['price', 'size']
    };
    const module = {
      ...problem,
      message: "There is no module 'seaborn'.",
      candidates: [],
      package: 'seaborn'
    };
    const many = Array(4).fill({ ...module, package: '' });
    const problems = Promise.resolve([column, module, ...many]);
    const t = await setup({ error: "KeyError: 'prize'", problems });
    await act(async () => button(t.row, 'Fix it')?.click());
    await t.settle();
    expect(t.ask.mock.calls).toEqual([
      [
        'Fix this error:\n' +
          "Line 2: The DataFrame has no column 'prize'. Did you mean 'price' or 'size'?\n" +
          "Line 1: There is no module 'seaborn'. The package 'seaborn' provides it and can be installed.\n" +
          "Line 1: There is no module 'seaborn'.\n".repeat(3) +
          "KeyError: 'prize'",
        ''
      ]
    ]);
    const request = t.ask.mock.calls[0][0];
    expect(requestTitle(request, nullTranslator.load('aiserver'))).toBe(
      "Fix: KeyError 'prize'"
    );
    const trans = nullTranslator.load('aiserver');
    const explain = explainErrorRequest('Traceback\nKeyError: 1', trans);
    expect(requestTitle(explain, trans)).toBe('Explain the error');
    const conflict = 'Lines from before the run:\nclean the dates';
    expect(requestTitle(conflict, trans)).toBe(
      'Both changed these lines: back to before “clean the dates”?'
    );
  });

  it('shows a problem that a line has twice once, and corrects both', async () => {
    const t = await setup();
    suggest(t.model);
    const problem = (column: number) => ({
      kind: 'missing_column',
      name: 'age',
      line: 1,
      column,
      endLine: 1,
      endColumn: column + 5,
      message: '',
      candidates: ['years']
    });
    setState(t.model, {
      code: 'a["age"]/b["age"]',
      problems: [problem(2), problem(11)]
    });
    t.row.update();
    await t.settle();
    expect(t.row.node.textContent?.match(/no column/g)).toHaveLength(1);
    await act(async () => button(t.row, 'years')?.click());
    expect(t.model.state.code).toBe('a["years"]/b["years"]');
  });

  it('sends nothing if the row is closed while the code is checked', async () => {
    let finish: (problems: null) => void = () => undefined;
    const problems = new Promise<null>(resolve => (finish = resolve));
    const t = await setup({ error: "KeyError: 'prize'", problems });
    await act(async () => button(t.row, 'Fix it')?.click());
    t.model.close();
    finish(null);
    await t.settle();
    expect(t.ask).not.toHaveBeenCalled();
  });

  it('has only one button to copy, even for several reasons', async () => {
    const t = await setup({ readOnly: true });
    suggest(t.model);
    setState(t.model, { saveError: 'storage_full', notice: 'not_written' });
    t.row.update();
    await t.settle();
    const copies = [...t.row.node.querySelectorAll('button')].filter(
      ({ textContent }) => textContent === 'Copy'
    );
    expect(copies).toHaveLength(1);
    const copy = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    await act(async () => copies[0].click());
    expect(copy).toHaveBeenCalledWith('y');
  });
});
