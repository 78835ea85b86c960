import { Signal } from '@lumino/signaling';

import { FakeKernel, frameOf, listOf } from './data.fakes';
import { DataModel, Tracker } from './dataModel';
import { NotebookData } from './notebookData';

class FakePanel {
  readonly disposed = new Signal<this, void>(this);
  readonly kernel = new FakeKernel();
  isDisposed = false;

  close(): void {
    this.isDisposed = true;
    this.disposed.emit();
  }
}

describe('DataModel', () => {
  let current: FakePanel | null;
  let model: DataModel;
  let tracker: { currentWidget: unknown; currentChanged: Signal<object, null> };
  const [a, b] = [new FakePanel(), new FakePanel()];

  beforeEach(() => {
    jest.useFakeTimers();
    current = null;
    tracker = {
      get currentWidget() {
        return current;
      },
      currentChanged: new Signal({})
    };
    model = new DataModel({
      tracker: tracker as unknown as Tracker,
      createData: panel =>
        new NotebookData((panel as unknown as FakePanel).kernel),
      mention: null
    });
  });

  afterEach(() => {
    model.dispose();
    jest.useRealTimers();
  });

  const select = async (panel: FakePanel | null) => {
    current = panel;
    tracker.currentChanged.emit(null);
    await jest.advanceTimersByTimeAsync(1000);
  };

  it('follows the current notebook, and keeps the state of each one', async () => {
    a.kernel.data = listOf(frameOf('df', { x: 'int64' }));
    b.kernel.data = listOf(frameOf('df', { y: 'int64' }));
    await select(a);
    expect([model.data, a.kernel.listCount]).toEqual([null, 0]);
    model.isActive = true;
    await select(a);
    const first = model.data!;
    first.toggle(first.frame('df')!);
    first.setFilter(first.frame('df')!, 'x');
    await select(b);
    expect(model.data?.list?.items[0].columns[0].name).toBe('y');
    expect(model.data?.frame('df')?.isOpen).toBe(false);
    a.kernel.run();
    await jest.advanceTimersByTimeAsync(1000);
    expect([a.kernel.listCount, b.kernel.listCount]).toEqual([1, 1]);
    await select(a);
    expect([a.kernel.listCount, b.kernel.listCount]).toEqual([2, 1]);
    expect(model.data?.frame('df')).toMatchObject({
      isOpen: true,
      filter: 'x'
    });
    await select(null);
    expect(model.data).toBeNull();
  });

  it('requests nothing while hidden', async () => {
    await select(a);
    model.isActive = true;
    await select(a);
    const { listCount } = a.kernel;
    model.isActive = false;
    a.kernel.run();
    await select(b);
    await select(a);
    expect(a.kernel.listCount).toBe(listCount);
    model.isActive = true;
    await select(a);
    expect(a.kernel.listCount).toBe(listCount + 1);
  });

  it('forgets a notebook that was closed', async () => {
    const closed = new FakePanel();
    model.isActive = true;
    await select(closed);
    const data = model.data as NotebookData | null;
    closed.close();
    expect(data?.isDisposed).toBe(true);
    expect(closed.kernel.isDisposed).toBe(true);
    expect(model.data).toBeNull();
  });
});
