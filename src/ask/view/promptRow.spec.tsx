import { Clipboard } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';
import * as React from 'react';
import { act } from 'react';

import type { ModelInfo, Recipe } from '../../api/types';
import { Recipes } from '../model/context/recipes';
import { RulesFiles } from '../model/context/rulesFiles';
import { GenerationModel } from '../model/generation';
import type { GenerationApi } from '../model/generationStream';
import type { IGenerationState } from '../model/state';
import type { IProblem } from '../../kernel/check';
import { requestTitle } from '../../labels/requestTitle';
import type { IKernelVariables } from '../../kernel/variables';
import type { IHistory, IModels } from '../../tokens';
import { PromptRow } from './promptRow';

const LOCAL: ModelInfo = {
  id: 'local:qwen',
  provider: 'local',
  label: 'Qwen2.5-Coder',
  onThisMachine: true,
  ready: true
};

(globalThis as Record<string, unknown>).IS_REACT_ACT_ENVIRONMENT = true;

async function setup(
  options: {
    source?: string;
    models?: ModelInfo[];
    readOnly?: boolean;
    error?: string;
    problems?: Promise<IProblem[] | null>;
    modelServices?: IModels;
    notices?: string[];
    kernel?: IKernelVariables;
    recipes?: Recipe[];
  } = {}
) {
  const models = options.models ?? [LOCAL];
  const ask = jest.spyOn(GenerationModel.prototype, 'ask');
  ask.mockImplementation(async () => undefined);
  const model = new GenerationModel({
    api: { warmUp: async () => undefined } as unknown as GenerationApi,
    history: {
      changed: new Signal({}),
      eventsQueued: new Signal({}),
      api: {
        models: async () => ({
          default: models[0]?.id,
          models,
          notices: options.notices
        }),
        replay: async () => null
      }
    } as unknown as IHistory,
    target: {
      cellId: 'c1',
      notebookPath: 'a.ipynb',
      cellNumber: () => null,
      cellAt: () => null,
      cellTitles: () => [],
      cellType: 'code' as const,
      isReadOnly: options.readOnly ?? false,
      key: () => null,
      ensure: async () => 'nb',
      source: () => options.source ?? '',
      codeAbove: () => '',
      check: () => options.problems ?? Promise.resolve(null),
      variables: async () => options.kernel ?? null,
      run: async () => true,
      interrupt: async () => undefined,
      insertMarkdownBelow: () => true,
      error: () => options.error ?? null,
      apply: () => true,
      surroundings: () => ({
        cellType: 'code' as const,
        language: 'python',
        context: { cells: [], kernel: '' }
      })
    }
  });
  const services = {
    trans: nullTranslator.load('aiserver'),
    recipes: new Recipes(
      { recipes: async () => options.recipes ?? [] },
      () => 'a.ipynb'
    ),
    rules: new RulesFiles({ rulesFiles: async () => [] }, () => 'a.ipynb'),
    listFiles: async () => [],
    listDataFrames: async () => [
      {
        name: 'df',
        kind: 'pandas.DataFrame',
        rowCount: 3,
        columnCount: 2,
        columns: []
      }
    ],
    openMenu: jest.fn(),
    save: jest.fn(),
    openPalette: jest.fn(() => true),
    models: options.modelServices
  };
  await services.recipes.load();
  const row = new PromptRow(model, services);
  await act(async () => {
    model.open();
    row.focus();
    Widget.attach(row, document.body);
    MessageLoop.flush();
  });
  const settle = () =>
    act(async () => {
      MessageLoop.flush();
    });
  await settle();
  const field = row.node.querySelector('textarea') as HTMLTextAreaElement;
  const type = async (text: string) => {
    const setter = Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    )?.set;
    await act(async () => {
      setter?.call(field, text);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      MessageLoop.flush();
    });
  };
  const press = async (key: string, init: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', {
      key,
      bubbles: true,
      cancelable: true,
      ...init
    });
    await act(async () => {
      field.dispatchEvent(event);
      MessageLoop.flush();
    });
    return event;
  };
  return { ask, field, model, press, row, services, settle, type };
}

/** Set a model's state as a stream would, without notifying the row. */
function setState(
  model: GenerationModel,
  change: Partial<IGenerationState>
): void {
  Object.assign(model, { _state: { ...model.state, ...change } });
}

function suggest(model: GenerationModel): void {
  const open = { turnId: 2, intent: 'asked', source: 'y', explanation: '' };
  model.suggestion = { ...open, saveError: null };
  setState(model, {
    phase: 'suggested',
    intent: 'asked',
    code: 'y',
    explanation: '<img src=x onerror=alert(1)> why',
    turnId: 2
  });
}

const button = (row: PromptRow, name: string) =>
  [...row.node.querySelectorAll('button')].find(node =>
    node.textContent?.startsWith(name)
  );

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

describe('PromptRow', () => {
  it('shows a warning of the store once per page', async () => {
    const notices = ['The disk has no locks.'];
    const first = await setup({ notices });
    expect(first.row.node.textContent).toContain(notices[0]);
    first.row.dispose();
    const second = await setup({ notices });
    expect(second.row.node.textContent).not.toContain(notices[0]);
  });

  it('sends with Enter, and empties the field', async () => {
    const t = await setup();
    await t.type('画图');
    await t.press('Enter');
    expect(t.ask).toHaveBeenCalledWith('画图', '画图');
    expect(t.field.value).toBe('');
  });

  it.each<[string, KeyboardEventInit]>([
    ['composing', { isComposing: true }],
    ['the key that ends composing in Safari', { keyCode: 229 }]
  ])('leaves Enter to the input method: %s', async (_, init) => {
    const t = await setup();
    await t.type('hua tu');
    const event = await t.press('Enter', init);
    expect(t.ask).not.toHaveBeenCalled();
    expect(event.defaultPrevented).toBe(false);
    const escape = await t.press('Escape', init);
    expect(escape.defaultPrevented).toBe(false);
    expect(t.model.state.phase).toBe('editing');
  });

  it('inserts a new line on Shift+Enter and never runs the cell (P35)', async () => {
    const t = await setup();
    await t.type('one');
    const event = await t.press('Enter', { shiftKey: true });
    expect(t.ask).not.toHaveBeenCalled();
    // JupyterLab prevents the browser's new line in cells, so the row inserts it.
    expect(event.defaultPrevented).toBe(true);
    expect(t.field.value).toBe('one\n');
    expect(t.row.node.dataset.lmSuppressShortcuts).toBe('true');
  });

  it('notices a new line and its removal (P35)', async () => {
    const t = await setup();
    await t.type('一');
    await t.press('Enter', { shiftKey: true });
    expect(t.model.inputText).toBe('一\n');
    await t.type('一');
    expect(t.model.inputText).toBe('一');
  });

  it('accepts with a blank field after an early Shift+Enter (P35)', async () => {
    const t = await setup();
    const accept = jest
      .spyOn(t.model.decision, 'accept')
      .mockResolvedValue(true);
    await t.press('Enter', { shiftKey: true });
    expect(t.field.value).toBe('');
    await t.type('\u3000'); // A space as typed with a Chinese input method.
    suggest(t.model);
    t.row.update();
    await t.settle();
    expect(button(t.row, 'Accept')?.textContent).toBe('Accept⇧⏎');
    await t.press('Enter', { shiftKey: true });
    expect(accept).toHaveBeenCalledTimes(1);
  });

  it('accepts and runs with Alt+Enter or the button, which says what follows (P13)', async () => {
    const t = await setup();
    const startRun = jest.spyOn(t.model.runs, 'start').mockResolvedValue();
    await t.press('Enter', { altKey: true });
    expect(startRun).not.toHaveBeenCalled();
    suggest(t.model);
    t.row.update();
    await t.settle();
    await t.press('Enter', { altKey: true });
    button(t.row, 'Accept and run')!.click();
    expect(startRun).toHaveBeenCalledTimes(2);
    expect(button(t.row, 'Accept and run')!.title).toContain('run the cell');
  });

  it('disables the buttons that a repair would replace, while it may still begin', async () => {
    const { model, row, settle } = await setup();
    suggest(model);
    const names = ['Accept', 'Accept and run', 'Regenerate', 'Reject'];
    const disabled = () => names.filter(name => button(row, name)?.disabled);
    setState(model, { isChecking: true });
    row.update();
    await settle();
    expect(disabled()).toEqual(['Accept', 'Accept and run', 'Regenerate']);
    setState(model, { isChecking: false });
    row.update();
    await settle();
    expect(disabled()).toEqual([]);
  });

  it('says how many lines written by hand a suggestion overwrites', async () => {
    const t = await setup();
    suggest(t.model);
    t.model.setState({ overwrittenCount: 2 });
    await t.settle();
    expect(t.row.node.textContent).toContain(
      'changes or removes 2 lines that were written by hand'
    );
  });

  describe('completes slash words', () => {
    const options = () => [
      ...document.querySelectorAll<HTMLElement>('[role="option"]')
    ];

    it('with keys, without sending the request', async () => {
      const t = await setup({ source: 'x = 1' });
      await t.type('/e');
      expect(options().map(({ textContent }) => textContent)).toEqual([
        '/explainExplain the code in words',
        '/editChange the code'
      ]);
      expect(t.field.getAttribute('aria-activedescendant')).toBe(
        options()[0].id
      );
      await t.press('ArrowDown');
      expect(options()[1].getAttribute('aria-selected')).toBe('true');
      await t.press('ArrowUp');
      await t.press('Enter');
      expect(t.field.value).toBe('/explain ');
      expect(options()).toEqual([]);
      expect(t.ask).not.toHaveBeenCalled();
      await t.press('Enter');
      expect(t.ask).toHaveBeenCalledWith('/explain ', '/explain ');
    });

    it('until Escape, which does not close the row', async () => {
      const t = await setup({ source: 'x = 1' });
      const close = jest.spyOn(t.model, 'close');
      await t.type('/e');
      await t.press('Escape');
      expect(options()).toEqual([]);
      expect(t.field.value).toBe('/e');
      expect(close).not.toHaveBeenCalled();
      await t.type('/ex');
      expect(options()).toHaveLength(1);
    });

    /** Move the cursor or select text, as a person does. */
    const select = (
      field: HTMLTextAreaElement,
      start: number,
      end = start
    ): Promise<void> =>
      act(async () => {
        field.setSelectionRange(start, end);
        field.dispatchEvent(new Event('select', { bubbles: true }));
        document.dispatchEvent(new Event('selectionchange'));
      });

    it('with the mouse, and leaves the rest of the request', async () => {
      const t = await setup({ source: 'x = 1' });
      await t.type('/t in one line');
      expect(options()).toEqual([]);
      await select(t.field, 2);
      await act(async () => options()[0].click());
      expect(t.field.value).toBe('/test in one line');
      expect(t.field.selectionStart).toBe(5);
    });

    it('neither inside of a word, nor for selected or recalled text', async () => {
      const t = await setup({ source: 'x = 1' });
      await t.type('/explain');
      await select(t.field, 4);
      expect(options()).toEqual([]);
      await t.type('/ex');
      expect(options()).toHaveLength(1);
      await select(t.field, 1, 3);
      expect(options()).toEqual([]);
      t.model.intents.add('/doc');
      await t.type('');
      await t.press('ArrowUp');
      expect(t.field.value).toBe('/doc');
      expect(options()).toEqual([]);
    });
  });

  it('sends the cell’s error along with a request to fix it', async () => {
    const t = await setup({ source: 'x = 1', error: 'KeyError: 1' });
    await t.type('/fix');
    await t.press('Enter');
    await t.settle();
    expect(t.ask).toHaveBeenCalledWith('/fix\nKeyError: 1', '/fix');
    expect(t.field.value).toBe('');
  });

  it('inserts the text of a recipe, and moves between its parameters by Tab', async () => {
    const recipe = { description: 'Plot', own: true };
    const t = await setup({
      source: 'x = 1',
      recipes: [
        { ...recipe, name: 'explore', text: 'Plot {{x}} and {{y}} in {{c=红}}' }
      ]
    });
    await t.type('/exp');
    const options = document.querySelectorAll('[role="option"]');
    expect([...options].map(({ textContent }) => textContent)).toEqual([
      '/explainExplain the code in words',
      '/explorePlot'
    ]);
    await t.press('ArrowDown');
    await t.press('Enter');
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.field.value).toBe('Plot {{x}} and {{y}} in 红');
    const selected = () =>
      t.field.value.slice(t.field.selectionStart, t.field.selectionEnd);
    expect(selected()).toBe('{{x}}');
    expect((await t.press('Tab')).defaultPrevented).toBe(true);
    expect(selected()).toBe('{{y}}');
    // After the last parameter, Tab leaves the field as usual. So does Shift+Tab.
    expect((await t.press('Tab')).defaultPrevented).toBe(false);
    const back = await t.press('Tab', { shiftKey: true });
    expect(back.defaultPrevented).toBe(false);
  });

  it('does not send blank text', async () => {
    const t = await setup();
    await t.type('  ');
    await t.press('Enter');
    expect(t.ask).not.toHaveBeenCalled();
    expect(button(t.row, 'Ask')?.disabled).toBe(true);
  });

  it('shows the model, and whether it is local', async () => {
    const t = await setup();
    expect(t.row.node.textContent).toContain('Qwen2.5-Coder · on this machine');
    const remote = { ...LOCAL, label: 'gpt', onThisMachine: false };
    const other = await setup({ models: [remote] });
    expect(other.row.node.textContent).toContain('gpt · remote');
  });

  it('names the request that the next one continues from', async () => {
    const t = await setup();
    const title = "Fix this error:\nKeyError: 'month'";
    t.model.branchFrom({ turnId: 1, title });
    await t.settle();
    expect(t.row.node.textContent).toContain(
      "continues from “Fix: KeyError 'month'”"
    );
    const remove = 'Continue from the latest request instead';
    t.row.node.querySelector<HTMLElement>(`[aria-label="${remove}"]`)!.click();
    expect(t.model.state.branch).toBeNull();
  });

  it('shows the command that installs a missing model', async () => {
    const t = await setup({
      models: [
        {
          ...LOCAL,
          ready: false,
          problem: 'It is missing.',
          problemText: { template: 'It is missing.', params: [] },
          install: 'pip install x'
        }
      ]
    });
    const alert = t.row.node.querySelector('[role=alert]');
    expect(alert?.textContent).toContain('It is missing.');
    expect(alert?.querySelector('code')?.textContent).toBe('pip install x');
    const copy = jest.spyOn(Clipboard, 'copyToSystem').mockReturnValue();
    await act(async () => button(t.row, 'Copy')?.click());
    expect(copy).toHaveBeenCalledWith('pip install x');
    expect(button(t.row, 'Try again')).toBeDefined();
  });

  it('accepts with Shift+Enter from the empty field, rejects with Escape', async () => {
    const t = await setup();
    const accept = jest
      .spyOn(t.model.decision, 'accept')
      .mockResolvedValue(true);
    const reject = jest.spyOn(t.model.decision, 'reject').mockResolvedValue();
    suggest(t.model);
    t.row.update();
    await t.settle();
    await t.press('Enter');
    expect(accept).not.toHaveBeenCalled();
    await t.press('Enter', { shiftKey: true });
    expect(accept).toHaveBeenCalledTimes(1);
    await t.type('but shorter');
    await t.press('Enter', { shiftKey: true }); // This inserts a new line.
    expect(accept).toHaveBeenCalledTimes(1);
    await t.press('Enter', { ctrlKey: true });
    expect(accept).toHaveBeenCalledTimes(2);
    await t.press('Escape'); // This clears the typed text first.
    expect(reject).not.toHaveBeenCalled();
    expect(t.field.value).toBe('');
    await t.press('Escape');
    expect(reject).toHaveBeenCalledTimes(1);
  });

  it('renders a model’s answer as text (P11, P12)', async () => {
    const t = await setup();
    suggest(t.model);
    t.row.update();
    await t.settle();
    expect(t.row.node.querySelector('img')).toBeNull();
    expect(t.row.node.textContent).toContain('<img src=x');
    expect(t.row.node.textContent).toContain('Request 2');
  });

  it('recalls earlier requests with ArrowUp, on the first line only', async () => {
    const t = await setup();
    t.model.intents.add('earlier');
    await t.press('ArrowUp');
    expect(t.field.value).toBe('earlier');
    await t.press('ArrowDown');
    expect(t.field.value).toBe('');
    await t.type('two\nlines');
    t.field.setSelectionRange(9, 9);
    const event = await t.press('ArrowUp');
    expect(t.field.value).toBe('two\nlines');
    expect(event.defaultPrevented).toBe(false);
  });

  it('is focused when it opens, and preserves its text when it is recreated (P37)', async () => {
    const t = await setup();
    expect(document.activeElement).toBe(t.field);
    await t.type('half');
    await act(async () => {
      Widget.detach(t.row);
      Widget.attach(t.row, document.body);
      MessageLoop.flush();
    });
    expect(t.row.node.querySelector('textarea')?.value).toBe('half');
    // A moved cell gets a new row.
    const moved = new PromptRow(t.model, t.services);
    await act(async () => {
      t.row.dispose();
      Widget.attach(moved, document.body);
      MessageLoop.flush();
    });
    expect(moved.node.querySelector('textarea')?.value).toBe('half');
  });

  it('announces failures and notices once to a screen reader (P38)', async () => {
    const t = await setup();
    const announcement = () =>
      t.row.node.querySelector('[role=status]')?.textContent;
    jest
      .spyOn(t.model, 'reset')
      .mockImplementation(async () =>
        setState(t.model, { notice: 'not_written' })
      );
    await t.model.reset();
    t.row.update();
    await t.settle();
    expect(announcement()).toContain('was deleted');
    const failure = { code: 'error', message: 'It failed.' };
    setState(t.model, { phase: 'failed', notice: null, failure });
    t.row.update();
    await t.settle();
    expect(t.row.node.querySelector('[role=alert]')?.textContent).toContain(
      'It failed.'
    );
    expect(announcement()).toBe('');
  });

  it('announces that nothing would change, not only that it is ready (P38)', async () => {
    const t = await setup();
    suggest(t.model);
    setState(t.model, { notice: 'same', explanation: '' });
    t.row.update();
    await t.settle();
    const notice = t.row.node.querySelector('.jp-AIServer-Ask-notice');
    expect(notice?.textContent).toContain('same as the current code');
    expect(t.row.node.querySelector('[role=status]')?.textContent).toContain(
      'same as the current code'
    );
  });

  it('stops rendering once it is disposed, though its model is not', async () => {
    const t = await setup();
    const draw = jest.spyOn(
      t.row as unknown as { render: () => unknown },
      'render'
    );
    await act(async () => t.row.dispose());
    t.model.close();
    t.model.open();
    await t.settle();
    expect(draw).not.toHaveBeenCalled();
  });

  it('preserves typed text when it is closed, and saves with the usual key', async () => {
    const t = await setup();
    await t.type('half a req');
    const save = await t.press('s', { ctrlKey: true });
    expect(t.services.save).toHaveBeenCalledTimes(1);
    expect(save.defaultPrevented).toBe(true);
    const palette = await t.press('C', { ctrlKey: true, shiftKey: true });
    expect(t.services.openPalette).toHaveBeenCalledTimes(1);
    expect(palette.defaultPrevented).toBe(true);
    const copy = await t.press('c', { ctrlKey: true });
    expect(copy.defaultPrevented).toBe(false);
    await t.press('Escape');
    expect(t.model.state).toMatchObject({ phase: 'idle', draft: 'half a req' });
  });

  it('lists the DataFrames, and states what is sent', async () => {
    const t = await setup();
    await act(async () => {
      t.row.pickDataFrames(true);
      MessageLoop.flush();
    });
    await t.settle();
    const box = t.row.node.querySelector<HTMLInputElement>('[type=checkbox]');
    await act(async () => box?.click());
    await t.settle();
    expect(t.model.state.dataframes.map(({ name }) => name)).toEqual(['df']);
    expect(t.row.node.textContent).toContain('3 rows × 2 columns');
    expect(t.row.node.textContent).toContain('Only column names');
    // Enter confirms the choice; it doesn't send.
    const enter = { key: 'Enter', bubbles: true, cancelable: true };
    const key = new KeyboardEvent('keydown', enter);
    await act(async () => void box?.dispatchEvent(key));
    expect(key.defaultPrevented).toBe(true);
    expect(t.row.node.querySelector('[type=checkbox]')).toBeNull();
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.model.state.dataframes.map(({ name }) => name)).toEqual(['df']);
  });

  it.each([
    ['a small model', { small: true }],
    ['a larger model on this machine', { small: false }],
    ['a remote model', { onThisMachine: false }]
  ])(
    'attaches the DataFrames that the text names, until one is removed: %s',
    async (_, kind) => {
      const model: ModelInfo = { ...LOCAL, ...kind };
      const frame = (name: string) => ({
        name,
        kind: 'pandas.DataFrame',
        rowCount: 3,
        columnCount: 1,
        columns: [{ name: '城市', dtype: 'str', examples: ['北京'] }]
      });
      const frames = [frame('销售'), frame('costs')];
      const t = await setup({
        models: [model],
        kernel: { frames, variables: [] }
      });
      const chips = () =>
        [...t.row.node.querySelectorAll('.jp-AIServer-Ask-chip')].map(
          chip => chip.firstChild?.textContent
        );
      expect(chips()).toEqual([]);
      await t.type('把销售按月画图');
      expect(chips()).toEqual(['销售']);
      // Even if values were read for a local model, a remote one doesn't get them.
      expect(t.row.node.textContent?.includes('a few values')).toBe(
        model.onThisMachine
      );
      // The server sends a small model only the code if the request is a question (P15).
      expect(
        t.row.node.textContent?.includes('A small model doesn’t get')
      ).toBe(model.small ?? false);
      const remove = t.row.node.querySelector<HTMLElement>(
        '[aria-label="Remove 销售"]'
      );
      await act(async () => remove?.click());
      await t.settle();
      expect(chips()).toEqual([]);
      expect(t.model.buildRequest('销售').attached.frames).toEqual([]);
    }
  );

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
    await act(async () => button(t.row, 'Ask for a repair')?.click());
    expect(t.ask.mock.calls[0][0]).toContain("Did you mean 'price'?");
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
