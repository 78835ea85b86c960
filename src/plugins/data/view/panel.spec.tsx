import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { FakeKernel, frameOf, listOf } from '../model/data.fakes';
import { DataModel, Tracker } from '../model/dataModel';
import { NotebookData } from '../model/notebookData';
import { DataPanel } from './panel';
import { pretendLayout, untilDrawn } from '../../../ui/drawn.fakes';

const SALES = frameOf('sales', { 城市: 'object', 'unit price': 'float64' });

const WIDE = frameOf(
  'wide',
  Object.fromEntries(
    Array.from({ length: 5000 }, (_, index) => [`c${index}`, 'int64'])
  ),
  { rowCount: 891 }
);

describe('DataPanel', () => {
  let kernel: FakeKernel;
  let panel: DataPanel;
  let model: DataModel;
  let mentioned: string[];
  let hasNotebook: boolean;

  beforeAll(pretendLayout);

  beforeEach(() => {
    kernel = new FakeKernel();
    kernel.data = listOf(SALES);
    mentioned = [];
    hasNotebook = true;
    const notebook = { disposed: new Signal({}), isDisposed: false };
    model = new DataModel({
      tracker: {
        get currentWidget() {
          return hasNotebook ? notebook : null;
        },
        currentChanged: new Signal({})
      } as unknown as Tracker,
      createData: () => new NotebookData(kernel, 'en'),
      mention: async (text, isForNewCode) =>
        void mentioned.push(text + (isForNewCode ? '(new code)' : ''))
    });
    panel = new DataPanel(model, nullTranslator);
  });

  afterEach(() => {
    panel.dispose();
    model.dispose();
    document.body.replaceChildren();
  });

  const text = () => panel.node.textContent ?? '';
  const button = (name: string) =>
    [...panel.node.querySelectorAll('button')].find(node =>
      (node.getAttribute('aria-label') ?? node.textContent)?.startsWith(name)
    );

  async function show(awaited: string): Promise<void> {
    Widget.attach(panel, document.body);
    await untilDrawn(() => text().includes(awaited));
  }

  async function open(name: string, awaited: string): Promise<void> {
    await show(name);
    button(name)?.click();
    await untilDrawn(() => text().includes(awaited));
  }

  function enter(
    field: HTMLInputElement | HTMLSelectElement,
    value: string
  ): void {
    const { prototype } = field.constructor as typeof HTMLInputElement;
    Object.getOwnPropertyDescriptor(prototype, 'value')!.set!.call(
      field,
      value
    );
    field.dispatchEvent(new Event('input', { bubbles: true }));
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }

  const rows = () =>
    [...panel.node.querySelectorAll('[role="rowheader"]')].map(
      node => node.textContent
    );

  it('lists variables with their sizes', async () => {
    kernel.data = listOf(
      SALES,
      frameOf('x', {}, { kind: 'numpy.ndarray', shape: [2, 3, 4], bytes: 3e6 })
    );
    await show('2 × 3 × 4');
    expect(button('sales')?.textContent).toContain(
      '10 rows × 2 columns · 2 KB'
    );
    expect(button('x')?.textContent).toContain('2 × 3 × 4 · 2.9 MB');
    expect(button('sales')?.getAttribute('aria-expanded')).toBe('false');
  });

  it('has the focus on the first variable once the data is listed', async () => {
    Widget.attach(panel, document.body);
    MessageLoop.sendMessage(panel, Widget.Msg.ActivateRequest);
    expect(document.activeElement).toBe(panel.node);
    await untilDrawn(() => document.activeElement === button('sales'));
  });

  it('shows columns as a table, whose names and values are text (P12)', async () => {
    await open('sales', '40%');
    const table = panel.node.querySelector('[role="table"]')!;
    expect(table.getAttribute('aria-label')).toBe('Columns of sales');
    expect(table.getAttribute('aria-rowcount')).toBe('3');
    const row = table.querySelectorAll('[role="row"]')[1];
    expect(row.textContent).toContain('城市object0%0% missing3 distinct');
    expect(row.textContent).toContain('<b>北京</b>');
    expect(table.querySelector('b')).toBeNull();
    expect(table.querySelectorAll('rect')).toHaveLength(3);
    expect(table.textContent).toContain('from 1 to 9');
  });

  it('shows the numbers of a column below it', async () => {
    await open('sales', '40%');
    const details = button('Details of unit price')!;
    details.click();
    await untilDrawn(() => text().includes('Median'));
    expect(details.getAttribute('aria-expanded')).toBe('true');
    const figures = panel.node.querySelector('dl')!.textContent;
    expect(figures).toContain('Missing1 of 10');
    expect(figures).toContain('Mean4.5');
    button('Details of 城市')!.click();
    await untilDrawn(() => text().includes('Most frequent values'));
    expect(panel.node.querySelector('table')?.textContent).toContain(
      '<b>北京</b>440%'
    );
  });

  it('says what is only a lower bound in a sample', async () => {
    kernel.sampleRows = 5;
    await open('sales', 'From a sample of 5 rows.');
    expect(text()).not.toContain('3 distinct');
    button('Details of unit price')!.click();
    await untilDrawn(() => text().includes('Median'));
    expect(text()).toContain('Distinctat least 3');
  });

  it('mentions a column and a variable in the prompt row', async () => {
    await open('sales', '40%');
    button('城市')!.click();
    button('unit price')!.click();
    // A question about the data doesn't change code that is already there, except with Shift.
    button('Ask about')!.click();
    button('Ask about')!.dispatchEvent(
      new MouseEvent('click', { bubbles: true, shiftKey: true })
    );
    expect(mentioned).toEqual([
      '@sales.城市 ',
      '@sales."unit price" ',
      '@sales (new code)',
      '@sales '
    ]);
  });

  it('mentions a series by its own name', async () => {
    kernel.data = listOf(
      frameOf('s', { '': 'int64' }, { kind: 'pandas.Series' })
    );
    await open('s', '0%');
    expect(rows()).toEqual(['s']);
    panel.node.querySelector<HTMLElement>('[role="rowheader"] button')!.click();
    expect(mentioned).toEqual(['@s ']);
  });

  it('renders and profiles only the visible columns of a wide frame', async () => {
    kernel.data = listOf(WIDE);
    kernel.sampleRows = 5;
    await open('wide', 'From a sample of 5 rows.');
    expect(rows().length).toBeLessThan(30);
    expect(kernel.profiled).toHaveLength(1);
    expect(kernel.profiled[0]).toMatch(/^wide 0\+[12]\d$/);
  });

  it('moves the tab stop with the arrow keys', async () => {
    kernel.data = listOf(WIDE);
    await open('wide', 'c3');
    const press = (key: string) =>
      document.activeElement!.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })
      );
    const tabStops = () =>
      [...panel.node.querySelectorAll('[role="table"] button')]
        .filter(node => (node as HTMLElement).tabIndex === 0)
        .map(node => node.getAttribute('aria-label') ?? node.textContent);
    expect(tabStops()).toEqual(['c0', 'Details of c0']);
    button('c0')!.focus();
    press('ArrowDown');
    await untilDrawn(() => document.activeElement?.textContent === 'c1');
    expect(tabStops()).toEqual(['c1', 'Details of c1']);
    press('End');
    await untilDrawn(() => document.activeElement?.textContent === 'c4999');
    press('Home');
    await untilDrawn(() => document.activeElement?.textContent === 'c0');
  });

  it('filters by name, but not by the unfinished text of an input method', async () => {
    await open('sales', 'unit price');
    const field = panel.node.querySelector('input')!;
    const compose = (type: string) =>
      field.dispatchEvent(new CompositionEvent(type, { bubbles: true }));
    compose('compositionstart');
    enter(field, 'cheng shi');
    await untilDrawn(() => field.value === 'cheng shi');
    expect(rows()).toHaveLength(2);
    enter(field, '城');
    compose('compositionend');
    await untilDrawn(() => rows().length === 1);
    expect(rows()).toEqual(['城市']);
    expect(text()).toContain('1 of 2 columns.');
    enter(field, 'nothing');
    await untilDrawn(() =>
      text().includes('No column name contains “nothing”.')
    );
  });

  it('sorts by missing values', async () => {
    await open('sales', '40%');
    enter(panel.node.querySelector('select')!, 'missing');
    await untilDrawn(() => rows()[0] === 'unit price');
    expect(rows()).toEqual(['unit price', '城市']);
  });

  it('marks what the last run has changed', async () => {
    await open('sales', '40%');
    const columns = { 'unit price': 'int64', 新: 'bool' };
    kernel.run(listOf(frameOf('sales', columns, { rowCount: 1210 })));
    await untilDrawn(() => text().includes('+1,200 rows'));
    expect(button('sales')?.textContent).toContain(
      '+1,200 rows 1 new column 1 removed column 1 new type'
    );
    expect(rows()).toEqual(['unit pricewas float64', '新new']);
    expect(panel.node.querySelector('del')?.textContent).toBe('城市');
    expect(text()).toContain('Changes since');
    kernel.run(listOf(frameOf('other', { a: 'int64' }), SALES));
    await untilDrawn(() => button('other'));
    expect(button('other')?.textContent).toMatch(/new\s*$/);
  });

  it('says that the kernel is busy, and keeps the list', async () => {
    await open('sales', '40%');
    kernel.changed.emit('run');
    await untilDrawn(() =>
      text().includes('The kernel is busy. The list is from')
    );
    const status = panel.node.querySelector('[role="status"]');
    expect(status?.textContent).toContain('The kernel is busy');
    expect(rows()).toHaveLength(2);
    kernel.changed.emit('idle');
    await untilDrawn(() => !text().includes('busy'));
  });

  it('says why nothing is listed', async () => {
    kernel.data = listOf();
    await show('No data yet');
    expect(text()).toContain('pd.read_csv("sales.csv")');
    kernel.language = 'r';
    kernel.changed.emit('restart');
    await untilDrawn(() => text().includes('sales <- read.csv("sales.csv")'));
    expect(text()).toContain('What is shown here stays on this computer.');
    for (const [state, awaited] of [
      ['other', 'Only Python and R kernels can list their data so far.'],
      ['none', 'No kernel is running'],
      ['starting', 'The kernel is starting…']
    ] as const) {
      kernel.state = state;
      kernel.changed.emit('restart');
      await untilDrawn(() => text().includes(awaited));
    }
    kernel.state = 'ready';
    kernel.data = new Error('invalid');
    kernel.changed.emit('idle');
    await untilDrawn(() => text().includes('could not list its data'));
    kernel.data = listOf(SALES);
    button('Try again')!.click();
    await untilDrawn(() => button('sales'));
  });

  it('says that no notebook is open', async () => {
    hasNotebook = false;
    await show('No notebook is open');
    expect(kernel.listCount).toBe(0);
  });

  it('requests nothing while it is hidden', async () => {
    await show('sales');
    panel.hide();
    kernel.run();
    await new Promise(resolve => setTimeout(resolve, 400));
    expect(kernel.listCount).toBe(1);
    panel.show();
    await untilDrawn(() => kernel.listCount === 2);
  });
});
