import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditorFactory } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { DataFrameProfile } from '../../api/types';
import { NewCells } from '../../cells/emptyCell';
import { code, done, setup as fakes, start } from '../model/generation.fakes';
import { Recipes } from '../model/context/recipes';
import { RulesFiles } from '../model/context/rulesFiles';
import { NotebookAskManager } from './notebookAskManager';

/** Run an action and let React render its effects. */
async function act(action: () => unknown): Promise<void> {
  await action();
  await new Promise(resolve => requestAnimationFrame(resolve));
}

/** A fake cell widget with the members that the views use; its model has the id `c1`. */
class FakeCell extends Widget {
  constructor(readonly source: () => string) {
    super();
    const layout = (this.layout = new PanelLayout());
    const input = new Widget();
    input.addClass('jp-Cell-inputWrapper');
    layout.addWidget(input);
    layout.addWidget(new Widget());
    this.editorWidget = input;
  }
  readonly editorWidget: Widget;
  readonly editorConfig = {};
  readonly ready = Promise.resolve();
  readonly editor = {
    focus: jest.fn(),
    hasFocus: () => false,
    editor: { requestMeasure: () => undefined }
  };
  readonly readOnly = false;
  readonly contentChanged = new Signal<this, void>(this);
  inputHidden = true;
  get model() {
    return {
      id: 'c1',
      mimeType: 'text/x-python',
      contentChanged: this.contentChanged,
      sharedModel: { getSource: () => this.source() }
    };
  }
}

function setup() {
  const t = fakes();
  const cellsChanged = new Signal<object, void>({});
  const content = {
    model: {
      cells: Object.assign([] as unknown[], { changed: cellsChanged })
    },
    widgets: [] as FakeCell[],
    isDisposed: false,
    activeCellChanged: new Signal<object, void>({}),
    stateChanged: new Signal<object, void>({}),
    activeCell: null as FakeCell | null,
    activeCellIndex: -1,
    activate: jest.fn(),
    mode: 'command'
  };
  const disposed = new Signal<object, void>({});
  const sessionContext = {
    statusChanged: new Signal<object, string>({}),
    iopubMessage: new Signal<object, unknown>({})
  };
  const panel = { content, disposed, sessionContext, isDisposed: false };
  const onCellDeleted = jest.fn();
  const onUnsaved = jest.fn();
  const listDataFrames = jest.fn(async () => [] as DataFrameProfile[]);
  const manager = new NotebookAskManager({
    panel: panel as unknown as NotebookPanel,
    trans: nullTranslator.load('aiserver'),
    listDataFrames,
    listFiles: async () => [],
    recipes: new Recipes({ recipes: async () => [] }, () => 'a.ipynb'),
    rules: new RulesFiles({ rulesFiles: async () => [] }, () => 'a.ipynb'),
    openMenu: jest.fn(),
    save: jest.fn(),
    openPalette: () => true,
    createModel: () => t.model,
    newEditor: new CodeMirrorEditorFactory().newInlineEditor,
    onCellDeleted,
    onUnsaved
  });
  /** Insert the cell into the notebook as a new widget, or remove it. */
  const place = async (present: boolean): Promise<FakeCell | null> => {
    const cell = present ? new FakeCell(() => t.source() ?? '') : null;
    content.widgets.splice(0).forEach(old => old.dispose());
    if (cell) {
      content.widgets.push(cell);
      Widget.attach(cell, document.body);
    }
    cellsChanged.emit();
    await settle();
    return cell;
  };
  const settle = () =>
    act(async () => {
      for (let i = 0; i < 3; i++) {
        MessageLoop.flush();
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
    });
  const open = async (cell: FakeCell | null) => {
    manager.open(cell as unknown as Cell);
    await settle();
  };
  return {
    ...t,
    manager,
    content,
    disposed,
    sessionContext,
    listDataFrames,
    onCellDeleted,
    onUnsaved,
    open,
    place,
    settle
  };
}

const rows = () => document.querySelectorAll('.jp-AIServer-Ask').length;
const diffs = () => document.querySelectorAll('.jp-AIServer-Diff').length;

beforeAll(() => {
  Element.prototype.scrollIntoView ??= () => undefined;
});
afterEach(() => document.body.replaceChildren());

describe('NotebookAskManager', () => {
  it('inserts the beginning of a request into an empty field, again and again', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    const openWith = async (text: string) => {
      t.manager.openWith(cell as unknown as Cell, text);
      await t.settle();
      return document.querySelector('textarea')!;
    };
    expect((await openWith('/fix ')).value).toBe('/fix ');
    expect((await openWith('/test ')).value).toBe('/fix ');
    for (const text of ['/test ', '/test ']) {
      t.manager.get(cell as unknown as Cell)!.inputText = '';
      expect((await openWith(text)).value).toBe('/test ');
    }
    t.manager.dispose();
  });

  it('inserts a text at the cursor, and opens the row if it is closed', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    const insert = async (text: string) => {
      t.manager.insertText(cell as unknown as Cell, text);
      await t.settle();
      return document.querySelector('textarea')!;
    };
    const field = await insert('@df.价格 ');
    expect(field.value).toBe('@df.价格 ');
    expect(document.activeElement).toBe(field);
    field.blur();
    field.setSelectionRange(0, 0);
    expect((await insert('@df ')).value).toBe('@df @df.价格 ');
    expect(document.activeElement).toBe(field);
    expect(field.selectionStart).toBe('@df '.length);
    // It is separated from the words next to it, and replaces what is selected.
    field.setSelectionRange('@df'.length, '@df'.length);
    expect((await insert('@x ')).value).toBe('@df @x @df.价格 ');
    field.setSelectionRange('@df '.length, '@df @x'.length);
    expect((await insert('@y ')).value).toBe('@df @y @df.价格 ');
    t.manager.get(cell as unknown as Cell)!.close('draft');
    await t.settle();
    t.content.mode = 'command';
    expect((await insert('@z ')).value).toBe('draft @z ');
    t.manager.dispose();
  });

  it('fills the row with an earlier request and its DataFrames as they are now', async () => {
    const t = setup();
    const cell = (await t.place(true))! as unknown as Cell;
    const fill = async (text: string, names: string[]) => {
      await t.manager.openWithCurrentData(cell, text, names);
      await t.settle();
      return document.querySelector('textarea')!;
    };
    const df = {
      name: 'df',
      kind: 'pandas.DataFrame',
      rowCount: 7,
      columnCount: 1,
      columns: [{ name: 'region', dtype: 'object' }]
    };
    t.listDataFrames.mockResolvedValue([df]);
    const field = await fill('mean price', ['df', 'gone', 'lost']);
    expect(field.value).toBe('mean price');
    expect(document.activeElement).toBe(field);
    expect(t.model.state.dataframes).toEqual([df]);
    // What was chosen before doesn't hold for this request.
    const values = { columns: [], sample: null };
    const chosen = { level: 'sample', remoteLevel: 'sample', values } as const;
    t.model.setState({
      levels: new Map([['df', chosen]]),
      shared: ['@output']
    });
    await fill('mean price', ['df', 'gone', 'lost']);
    expect(t.model.state.levels.size).toBe(0);
    expect(t.model.state.shared).toEqual([]);
    const shown = () => document.body.textContent;
    expect(shown()).toContain('df7 rows × 1 columns');
    expect(shown()).toContain(
      'Not attached: gone, lost. The kernel doesn’t have them now.'
    );
    expect(t.bodies).toHaveLength(0); // Nothing is sent.
    expect(shown()).not.toContain('Your text was replaced');

    // A typed text isn't lost.
    expect((await fill('max price', ['df'])).value).toBe('max price');
    expect(t.model.intents.previous('max price')).toBe('mean price');
    expect(shown()).toContain('Your text was replaced. Press ↑');
    t.listDataFrames.mockRejectedValueOnce(new Error('No kernel is running.'));
    await fill('max price', ['x']);
    expect(shown()).toContain('Not attached: x. No kernel is running.');
    expect(t.model.state.dataframes).toEqual([df]);

    // When the kernel has it, it is attached.
    const frames = [
      { ...df, rowCount: 8 },
      { ...df, name: 'x' }
    ];
    t.target.variables.mockResolvedValue({ frames, variables: [] });
    await t.model.readKernel();
    expect(t.model.state.dataframes).toEqual(frames);
    expect(t.model.state.missingFrames).toBeNull();
    t.manager.dispose();
  });

  it('uses the active cell for new code while its row is open', async () => {
    const t = setup();
    const cell = await t.place(true);
    t.content.activeCell = cell;
    await t.open(cell);
    expect(t.manager.cellForNewCode('@df ')).toBe(cell);
    t.manager.dispose();
  });

  it('has a new cell removed if its row is closed before anything was sent', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    const closed = jest.spyOn(NewCells.prototype, 'onClosed');
    const sent = jest.spyOn(NewCells.prototype, 'onSent');
    closed.mockReturnValue(true);
    await t.open(cell);
    t.model.close('draft');
    expect(closed).toHaveBeenLastCalledWith('c1', 'draft');
    // The notebook takes the focus, not the editor of the removed cell.
    expect(t.content.activate).toHaveBeenCalled();
    expect(cell.editor.focus).not.toHaveBeenCalled();
    expect(sent).not.toHaveBeenCalled();
    await t.open(cell);
    void t.model.ask('one');
    await t.requested(1);
    expect(sent).toHaveBeenLastCalledWith('c1');
    t.manager.dispose();
    jest.restoreAllMocks();
  });

  it('leaves a running request and the text for the next one unchanged', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    void t.model.ask('one');
    await t.requested(1);
    const fill = t.manager.openWithCurrentData.bind(t.manager);
    await fill(cell as unknown as Cell, 'two', ['df']);
    await t.settle();
    expect(document.querySelector('textarea')!.value).toBe('');
    expect(document.body.textContent).toContain('A request is still running');
    expect(t.listDataFrames).not.toHaveBeenCalled();
    t.manager.dispose();
  });

  it('puts the row below the input, above the output, and shows a hidden input', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    const { widgets } = cell.layout as PanelLayout;
    expect(widgets[1].hasClass('jp-AIServer-Ask')).toBe(true);
    expect(cell.inputHidden).toBe(false);
    await t.open(cell);
    expect(rows()).toBe(1);
    t.manager.dispose();
  });

  it('reads the variables after a run or a restart, not after requests of its own', async () => {
    const t = setup();
    await t.open(await t.place(true));
    const { statusChanged, iopubMessage } = t.sessionContext;
    const start = t.target.variables.mock.calls.length;
    const reads = () => t.target.variables.mock.calls.length - start;
    statusChanged.emit('busy');
    statusChanged.emit('idle');
    expect(reads()).toBe(0);
    iopubMessage.emit({
      header: { msg_type: 'execute_input' },
      content: { code: 'df = 1' }
    });
    expect(reads()).toBe(0);
    statusChanged.emit('idle');
    statusChanged.emit('idle');
    expect(reads()).toBe(1);
    statusChanged.emit('restarting');
    statusChanged.emit('idle');
    expect(reads()).toBe(2);
    t.manager.dispose();
  });

  it('closes a row on focus after its answer was accepted or rejected in another page', async () => {
    const t = setup();
    const cell = await t.place(true);
    expect(t.manager.hasOpenRow).toBe(false);
    await t.open(cell);
    expect(t.manager.hasOpenRow).toBe(true);
    void t.model.ask('one');
    (await t.requested(1)).push(start(), done(1, 'y'), null);
    await t.phase('suggested');
    expect(t.manager.hasOpenRow).toBe(true);
    t.steps.push({ kind: 'turn', turnId: 1, outcome: 'accepted' });
    window.dispatchEvent(new Event('focus'));
    await t.phase('idle');
    expect(t.recorded).toEqual([]);
    expect(t.manager.hasOpenRow).toBe(false);
    t.manager.dispose();
  });

  it('sends a request to fix the cell’s error in its row', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    t.manager.fix(cell as unknown as Cell);
    expect(t.bodies).toHaveLength(0); // There is no error.
    jest.spyOn(t.target, 'error').mockReturnValue("KeyError: 'prize'" as never);
    t.manager.fix(cell as unknown as Cell);
    await t.requested(1);
    expect(t.target.check).toHaveBeenCalledWith('x = 1');
    expect(t.bodies[0].intent).toBe("Fix this error:\nKeyError: 'prize'");
    expect(rows()).toBe(1);
    t.manager.dispose();
  });

  it('restores row and diff in a recreated cell widget (P34)', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    const feed = await t.requested(1);
    feed.push(start(), code('x = '));
    await t.phase('streaming');
    await t.place(true); // A move: another widget, the same id.
    expect([rows(), diffs()]).toEqual([1, 1]);
    feed.push(done(1, 'x = 2'), null);
    await t.phase('suggested');
    await t.settle();
    expect(document.body.textContent).toContain('x = 2');
    expect(t.onCellDeleted).not.toHaveBeenCalled();
    t.manager.dispose();
  });

  it('reports once that the cell of an answer was deleted, and shows it after an undo (P34)', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    const feed = await t.requested(1);
    feed.push(start());
    await t.place(false);
    expect(rows()).toBe(0);
    feed.push(done(1, 'x = 2'), null);
    await t.phase('suggested');
    expect(t.onCellDeleted).toHaveBeenCalledTimes(1);
    expect(t.onCellDeleted.mock.calls[0][0].state.code).toBe('x = 2');
    expect(t.target.apply).not.toHaveBeenCalled();
    await t.place(true);
    expect([rows(), diffs()]).toEqual([1, 1]);
    expect(t.onCellDeleted).toHaveBeenCalledTimes(1);
    t.manager.dispose();
  });

  it('removes row and diff on Accept, and reports what could not be recorded', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), done(1, 'x = 2'), null);
    await t.phase('suggested');
    await t.settle();
    expect(diffs()).toBe(1);
    expect(cell.hasClass('jp-AIServer-mod-diff')).toBe(true);
    t.history.record.mockRejectedValueOnce(new Error('full'));
    cell.node.querySelector('textarea')?.focus();
    await act(() => t.model.decision.accept());
    t.model.setState({ kernel: { frames: [], variables: [] } }); // Another change.
    expect([rows(), diffs()]).toEqual([0, 0]);
    expect(cell.hasClass('jp-AIServer-mod-diff')).toBe(false);
    // The focus returns to the code.
    expect(cell.editor.focus).toHaveBeenCalled();
    expect(t.content.mode).toBe('edit');
    expect(t.onUnsaved.mock.calls).toEqual([
      [expect.stringContaining('this step will be saved as soon as possible')]
    ]);
    t.manager.dispose();
  });

  it('preserves the row and its typed text on Accept', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), done(1, 'x = 2'), null);
    await t.phase('suggested');
    await t.settle();
    const field = document.querySelector('textarea')!;
    const setter = Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    )!.set!;
    await act(async () => {
      setter.call(field, 'and shorter');
      field.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await act(() => t.model.decision.accept());
    await t.settle();
    expect([rows(), diffs()]).toEqual([1, 0]);
    expect(document.querySelector('textarea')?.value).toBe('and shorter');
    t.manager.dispose();
  });

  it('reports that the cell changed under an open answer (P34)', async () => {
    const t = setup();
    const cell = (await t.place(true))!;
    await t.open(cell);
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), done(1, 'x = 2'), null);
    await t.phase('suggested');
    t.edit('x = 1  # mine');
    cell.contentChanged.emit();
    await t.settle();
    expect(document.body.textContent).toContain('has changed since you asked');
    expect(document.body.textContent).toContain('# mine');
    t.manager.dispose();
  });

  it('stops the generation and removes all views when the notebook is closed', async () => {
    const t = setup();
    await t.open(await t.place(true));
    void t.model.ask('do it');
    (await t.requested(1)).push(start(), code('x'));
    await t.phase('streaming');
    await act(() => t.disposed.emit());
    expect(t.signals[0]?.aborted).toBe(true);
    expect([rows(), diffs()]).toEqual([0, 0]);
    expect(t.manager.isDisposed).toBe(true);
  });
});
