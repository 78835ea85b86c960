/** Requests about data: mentions, new cells for them, and the kernel's variables. */
import type { Cell } from '@jupyterlab/cells';

import { NewCells } from '../../cells/emptyCell';
import {} from '../model/generation.fakes';
import { setup } from './notebookAskManager.fakes';
import { frameOf } from '../../kernel/request.fakes';

type ISession = ReturnType<typeof setup>['sessionContext'];

beforeAll(() => {
  Element.prototype.scrollIntoView ??= () => undefined;
});
afterEach(() => document.body.replaceChildren());

describe('NotebookAskManager, for requests about data', () => {
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
    const df = frameOf('df', 7, { region: 'object' });
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
    expect(t.bodies).toHaveLength(0);
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

  it('says that an earlier request would change the open suggestion', async () => {
    const t = setup();
    const cell = (await t.place(true))! as unknown as Cell;
    const fill = async () => {
      await t.manager.openWithCurrentData(cell, 'two', []);
      await t.settle();
    };
    const text = () => document.body.textContent;
    await fill();
    expect(text()).not.toContain('A suggestion is open');
    t.model.inputText = '';
    await t.answer('one', 'x = 2');
    await fill();
    expect(text()).toContain(
      'A suggestion is open, so this request would change it.'
    );
    expect(t.model.buildRequest('two').source).toBe('x = 2');
    t.manager.dispose();
  });

  it('reads the variables after a run or a restart, not after requests of its own', async () => {
    const t = setup();
    await t.open(await t.place(true));
    const { statusChanged, iopubMessage } = t.sessionContext;
    const hasRun = jest.fn();
    t.manager.hasRun.connect(hasRun);
    statusChanged.emit('idle');
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
    expect(hasRun).toHaveBeenCalledTimes(3);
    t.manager.dispose();
  });

  it.each([
    ['restarts', (t: ISession) => t.statusChanged.emit('restarting')],
    ['is another one', (t: ISession) => t.kernelChanged.emit()]
  ])('sends no data of a kernel that %s', async (_, restart) => {
    const t = setup();
    const [attached, chosen] = ['df', 'sales'].map(name =>
      frameOf(name, 7, { price: 'object' })
    );
    const frames = [attached, chosen];
    const variables = [{ name: 'limit', kind: 'int', value: '3' }];
    t.target.variables.mockResolvedValue({ frames, variables });
    await t.open(await t.place(true));
    t.model.setState({ dataframes: [chosen] });
    const values = { columns: [], sample: null };
    const level = { level: 'sample', remoteLevel: 'sample', values } as const;
    t.model.setState({ levels: new Map([['sales', level]]) });
    await t.settle();
    const text = () => document.body.textContent;
    const request = () => t.model.buildRequest('mean of df below @limit');
    expect(request().attached.frames).toEqual([attached]);
    expect(request().mentions).toHaveLength(1);
    expect(text()).toContain('sales7 rows');

    t.target.variables.mockResolvedValue(null); // It doesn't reply yet.
    restart(t.sessionContext);
    await t.settle();
    expect(request()).toMatchObject({
      dataframes: [],
      attached: { frames: [], variables: [] },
      mentions: []
    });
    expect(text()).not.toContain('sales7 rows');
    expect(text()).toContain(
      'Not attached: sales. The kernel doesn’t have it now.'
    );

    // What the next run creates is attached again, without the values that were chosen before.
    const current = { ...chosen, rowCount: 8 };
    const kernel = { frames: [current], variables: [] };
    t.target.variables.mockResolvedValue(kernel);
    t.sessionContext.statusChanged.emit('idle');
    await t.settle();
    expect(request().dataframes).toEqual([current]);
    expect(text()).toContain('sales8 rows');
    expect(text()).not.toContain('Not attached');
    t.manager.dispose();
  });
});
