import type { Cell } from '@jupyterlab/cells';
import {
  IInlineCompletionProvider,
  InlineCompletionTriggerKind,
  ProviderReconciliator
} from '@jupyterlab/completer';
import { NotebookPanel } from '@jupyterlab/notebook';
import { Widget } from '@lumino/widgets';
import { Signal } from '@lumino/signaling';

import { ApiError } from '../../../api/request';
import type { CompletionBody } from '../../../api/types';
import { setFeatures } from '../../../state/features.fakes';
import { CompletionProvider } from './provider';

interface ISettings {
  [property: string]: boolean | number;
  enabled: boolean;
  autoFillInMiddle: boolean;
  timeout: number;
  debouncerDelay: number;
}

/** A cell with the members that the provider uses. */
function fakeCell(id: string, type: string, text: string) {
  let source = text;
  const changed = new Signal<object, void>({});
  const sharedModel = { getSource: () => source, changed };
  const editor = { editor: { composing: false } };
  const setSource = (typed: string) => {
    source = typed;
    changed.emit();
  };
  const model = { id, type, sharedModel, outputs: { length: 0 } };
  return { ...model, model, readOnly: false, editor, setSource };
}

/** The last cell is active. `cells` are types and sources. */
function setup(...cells: [type: string, source: string][]) {
  const widgets = cells.map(([type, source], index) =>
    fakeCell(`c${index}`, type, source)
  );
  const cell = widgets[widgets.length - 1];
  const panel = Object.create(NotebookPanel.prototype) as NotebookPanel;
  const getMetadata = (key: string) =>
    key === 'language_info' ? { name: 'python' } : undefined;
  const members = {
    content: {
      activeCell: cell as unknown as Cell,
      model: { cells: widgets.map(({ model }) => model) }
    },
    context: { model: { getMetadata } },
    sessionContext: { specsManager: {} }
  };
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(panel, name, { value });
  }
  const t = { isOpen: false };
  const complete = jest.fn(
    async (
      _: CompletionBody,
      signal?: AbortSignal
    ): Promise<{ text: string }> =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () =>
          reject(new DOMException('', 'AbortError'))
        );
        void answer.then(resolve, reject);
      })
  );
  let answer: Promise<{ text: string }> = Promise.resolve({ text: '42' });
  const onNoModel = jest.fn();
  const provider = new CompletionProvider({
    api: { complete },
    name: 'AI Server',
    rows: { isOpen: shown => shown === panel && t.isOpen },
    onNoModel
  });
  const request = () => {
    const text = cell.model.sharedModel.getSource();
    return { text, offset: [...text].length, mimeType: 'text/x-python' };
  };
  return Object.assign(t, {
    cell,
    panel,
    provider,
    complete,
    onNoModel,
    request,
    /** Give the next answers only when the promise settles. */
    answerWith: (promise: Promise<{ text: string }>) => {
      answer = promise;
    },
    fetch: async (changes: object = {}) =>
      (
        await provider.fetch({ ...request(), ...changes }, { widget: panel })
      ).items.map(({ insertText }) => insertText)
  });
}

describe('CompletionProvider', () => {
  it('requests nothing if the administrator forbids it', async () => {
    const t = setup(['code', 'x = ']);
    setFeatures({ completion: 'forbidden' });
    expect(await t.fetch()).toEqual([]);
    expect(t.complete).not.toHaveBeenCalled();
    setFeatures();
    expect(await t.fetch()).toEqual(['42']);
  });

  it('sends the code around the cursor and of the code cells above', async () => {
    const t = setup(
      ['code', 'import math'],
      ['markdown', '# 标题'],
      ['code', '😀 = 1\nx = ']
    );
    // JupyterLab counts an emoji as one character.
    expect(await t.fetch({ offset: 9 })).toEqual(['42']);
    expect(t.complete.mock.calls[0][0]).toEqual({
      prefix: '😀 = 1\nx =',
      suffix: ' ',
      language: 'python',
      cells: ['import math']
    });
  });

  it('sends only the nearest cells of a long notebook', async () => {
    const long = 'x'.repeat(1500);
    const t = setup(
      ['code', `a${long}`],
      ['code', `b${long}`],
      ['markdown', long],
      ['code', `c${long}`],
      ['code', 'y = ']
    );
    await t.fetch();
    const { cells } = t.complete.mock.calls[0][0];
    expect(cells?.map(source => source[0])).toEqual(['b', 'c']);
  });

  it.each<[string, (t: ReturnType<typeof setup>) => void, object]>([
    ['a prompt row is open in the notebook', t => (t.isOpen = true), {}],
    [
      'an input method is composing',
      t => (t.cell.editor.editor.composing = true),
      {}
    ],
    ['the cursor is within a word', () => undefined, { offset: 1 }],
    [
      'the cell is longer than the server accepts',
      t => t.cell.setSource('x'.repeat(20_001)),
      {}
    ],
    ['the cell can’t be edited', t => (t.cell.readOnly = true), {}],
    ['the cell has no code', t => (t.cell.model.type = 'markdown'), {}],
    ['the request is about another editor', () => undefined, { text: 'z = ' }]
  ])('sends nothing if %s', async (_, prepare, changes) => {
    const t = setup(['code', 'xy = ']);
    prepare(t);
    expect(await t.fetch(changes)).toEqual([]);
    expect(t.complete).not.toHaveBeenCalled();
  });

  it('sends nothing from a file editor or a console', async () => {
    const t = setup(['code', 'x = ']);
    const widget = new Widget();
    expect(await t.provider.fetch(t.request(), { widget })).toEqual({
      items: []
    });
    expect(t.complete).not.toHaveBeenCalled();
  });

  it('completes before a bracket that the editor has closed', async () => {
    const t = setup(['code', 'print()']);
    expect(await t.fetch({ offset: 6 })).toEqual(['42']);
  });

  it('aborts the request when the person types on (P30)', async () => {
    const t = setup(['code', 'x = ']);
    t.answerWith(new Promise(() => undefined));
    const items = t.fetch();
    t.cell.setSource('x = 4');
    expect(t.complete.mock.calls[0][1]?.aborted).toBe(true);
    expect(await items).toEqual([]);
    expect(t.onNoModel).not.toHaveBeenCalled();
  });

  it('aborts the request before it sends another one', async () => {
    const t = setup(['code', 'x = ']);
    t.answerWith(new Promise(() => undefined));
    const older = t.fetch();
    t.answerWith(Promise.resolve({ text: '43' }));
    expect(await t.fetch()).toEqual(['43']);
    expect(await older).toEqual([]);
    expect(t.complete.mock.calls[0][1]?.aborted).toBe(true);
    expect(t.complete.mock.calls[1][1]?.aborted).toBe(false);
  });

  it('shows nothing if a prompt row was opened in the meantime', async () => {
    const t = setup(['code', 'x = ']);
    const items = t.fetch();
    t.isOpen = true;
    expect(await items).toEqual([]);
  });

  it.each([
    ['no_completion_model', 1],
    ['model_failed', 0]
  ])('shows nothing after the failure %s', async (code, reports) => {
    const t = setup(['code', 'x = ']);
    t.answerWith(Promise.reject(new ApiError(409, code, 'message')));
    expect(await t.fetch()).toEqual([]);
    expect(t.onNoModel).toHaveBeenCalledTimes(reports);
  });
});

describe('the provider in JupyterLab’s inline completer', () => {
  /** JupyterLab fetches completions, with the settings that a person has changed. */
  async function type(changes: Partial<ISettings>) {
    const t = setup(['code', 'print()']);
    const provider: IInlineCompletionProvider = t.provider;
    // JupyterLab's own defaults, which the defaults of the provider replace.
    const settings: ISettings = {
      enabled: true,
      autoFillInMiddle: false,
      timeout: 5000,
      debouncerDelay: 0,
      ...(provider.schema?.default as object),
      ...changes
    };
    const reconciliator = new ProviderReconciliator({
      context: { widget: t.panel },
      providers: [],
      timeout: 1000,
      inlineProviders: settings.enabled ? [provider] : [],
      inlineProvidersSettings: { [provider.identifier]: settings }
    });
    const keys = [0, 1].map(() =>
      reconciliator.fetchInline(
        { ...t.request(), offset: 6 },
        InlineCompletionTriggerKind.Automatic,
        true
      )
    );
    await jest.advanceTimersByTimeAsync(299);
    const early = t.complete.mock.calls.length;
    await jest.advanceTimersByTimeAsync(1);
    return { early, calls: t.complete.mock.calls.length, keys };
  }

  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is disabled by default (P4)', async () => {
    expect(await type({})).toEqual({ early: 0, calls: 0, keys: [[], []] });
  });

  it('sends one request when the person pauses', async () => {
    const { early, calls } = await type({ enabled: true });
    expect([early, calls]).toEqual([0, 1]);
  });
});
