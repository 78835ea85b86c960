import { FakeKernel, frameOf, listOf } from './data.fakes';
import { NotebookData } from './notebookData';

const DF = frameOf('df', { a: 'int64', 城市: 'object' });

const wide = (count: number) =>
  frameOf(
    'df',
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`c${index}`, 'int64'])
    )
  );

const range = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, index) => first + index);

describe('NotebookData', () => {
  let kernel: FakeKernel;
  let data: NotebookData;

  beforeEach(() => {
    jest.useFakeTimers();
    kernel = new FakeKernel();
    kernel.data = listOf(DF);
    data = new NotebookData(kernel);
  });

  afterEach(() => {
    data.dispose();
    jest.useRealTimers();
  });

  const settle = () => jest.advanceTimersByTimeAsync(1000);

  const activate = async () => {
    data.isActive = true;
    await settle();
  };

  const open = async (visible: number[], name = 'df') => {
    const frame = data.frame(name)!;
    frame.show(visible);
    data.toggle(frame);
    await settle();
    return frame;
  };

  it('requests nothing while inactive (P18), and reads the list once when it becomes active', async () => {
    kernel.run();
    await settle();
    expect(kernel.listCount).toBe(0);
    await activate();
    expect(kernel.listCount).toBe(1);
    expect(data.list?.items).toEqual([DF]);
    data.isActive = false;
    await activate();
    expect(kernel.listCount).toBe(1);
    data.isActive = false;
    kernel.run();
    await settle();
    expect(kernel.listCount).toBe(1);
    await activate();
    expect(kernel.listCount).toBe(2);
  });

  it('reads the list after a run, not after requests, and coalesces a burst of runs', async () => {
    await activate();
    kernel.changed.emit('idle');
    await settle();
    expect(kernel.listCount).toBe(1);
    for (let run = 0; run < 5; run++) {
      kernel.run();
    }
    await settle();
    expect(kernel.listCount).toBe(2);
  });

  it('marks the changes since the list before the last run', async () => {
    await activate();
    expect(data.changes.size).toBe(0);
    kernel.run(listOf(frameOf('df', { a: 'int64', 城市: 'string' })));
    await settle();
    expect([...data.changes.get('df')!.retyped.keys()]).toEqual(['城市']);
    // Reading again without a run doesn't change what is marked.
    data.refresh();
    await settle();
    expect(data.changes.size).toBe(1);
    kernel.run();
    await settle();
    expect(data.changes.size).toBe(0);
  });

  it('counts runs that follow each other closely as one', async () => {
    kernel.data = listOf();
    await activate();
    for (const data of [listOf(DF), listOf(DF, frameOf('x', {}))]) {
      kernel.run(data);
      await jest.advanceTimersByTimeAsync(500);
    }
    expect(kernel.listCount).toBe(3);
    expect([...data.changes.keys()]).toEqual(['df', 'x']);
    await settle();
    kernel.run();
    await settle();
    expect(data.changes.size).toBe(0);
  });

  it('keeps the list while the kernel is busy, says so after a moment, and reads it afterwards', async () => {
    await activate();
    const { list } = data;
    kernel.changed.emit('run');
    expect(data.isBusy).toBe(false);
    await settle();
    expect(data.isBusy).toBe(true);
    expect(data.list).toBe(list);
    expect(kernel.listCount).toBe(1);
    kernel.data = listOf();
    kernel.changed.emit('idle');
    await settle();
    expect(data.isBusy).toBe(false);
    expect(data.list?.items).toEqual([]);
  });

  it('does not count a short run as busy', async () => {
    await activate();
    const states = new Set<boolean>();
    data.changed.connect(() => states.add(data.isBusy));
    kernel.run();
    await settle();
    expect([...states]).toEqual([false]);
  });

  it('waits for a kernel that was busy before, but not for ever', async () => {
    kernel.isBusy = true;
    await activate();
    expect([data.isBusy, data.hasFailed]).toEqual([true, false]);
    kernel.isBusy = false;
    kernel.changed.emit('idle');
    await settle();
    expect([data.isBusy, data.hasFailed]).toEqual([false, false]);
    expect(data.list?.items).toEqual([DF]);
    // A kernel that is idle, but never answers in time.
    kernel.isBusy = true;
    data.refresh();
    for (let attempt = 0; attempt < 10; attempt++) {
      await settle();
      kernel.changed.emit('idle');
    }
    expect(kernel.listCount).toBe(5);
    expect([data.isBusy, data.hasFailed]).toEqual([false, true]);
    // The next run begins anew, and so does the person.
    kernel.isBusy = false;
    kernel.run();
    await settle();
    expect(data.hasFailed).toBe(false);
  });

  it('fails if the kernel can’t list its data, until the person asks again', async () => {
    kernel.data = new Error('invalid');
    await activate();
    expect(data.hasFailed).toBe(true);
    kernel.data = listOf(DF);
    kernel.changed.emit('idle');
    await settle();
    expect(data.list).toBeNull();
    data.refresh();
    await settle();
    expect(data.hasFailed).toBe(false);
    expect(data.list?.items).toEqual([DF]);
  });

  it('begins anew after a restart, but remembers what was expanded', async () => {
    await activate();
    await open([0]);
    kernel.state = 'starting';
    kernel.changed.emit('restart');
    expect(data.list).toBeNull();
    await settle();
    expect(kernel.listCount).toBe(1);
    kernel.state = 'ready';
    kernel.data = listOf();
    kernel.changed.emit('idle');
    await settle();
    expect(data.list?.items).toEqual([]);
    kernel.run(listOf(DF));
    await settle();
    expect(data.changes.get('df')?.isNew).toBe(true);
    expect(data.frame('df')?.isOpen).toBe(true);
  });

  it.each(['none', 'other'] as const)(
    'requests nothing from a kernel in the state %s',
    async state => {
      kernel.state = state;
      await activate();
      kernel.run();
      await settle();
      expect(kernel.listCount).toBe(0);
    }
  );

  it('profiles the visible columns of open variables only, once until the next run', async () => {
    kernel.data = listOf(wide(5000));
    await activate();
    const frame = data.frame('df')!;
    data.show(frame, range(0, 12));
    await settle();
    expect(kernel.profiled).toEqual([]);
    data.toggle(frame);
    await settle();
    expect(kernel.profiled).toEqual(['df 0+12']);
    expect(frame.profile(11)?.numbers?.mean).toBe(4.5);
    expect(frame.profile(12)).toBeUndefined();
    data.show(frame, range(6, 20));
    await settle();
    data.show(frame, range(0, 12));
    await settle();
    expect(kernel.profiled).toEqual(['df 0+12', 'df 12+8']);
    kernel.run();
    await settle();
    expect(kernel.profiled).toEqual(['df 0+12', 'df 12+8', 'df 0+12']);
  });

  it('continues where the kernel stopped, with what is visible by then', async () => {
    kernel.data = listOf(wide(5000));
    kernel.columnsPerRequest = 5;
    await activate();
    await open(range(0, 12));
    expect(kernel.profiled).toEqual(['df 0+12', 'df 5+7', 'df 10+2']);
    let proceed = () => undefined as void;
    kernel.delay = new Promise(resolve => (proceed = resolve));
    const frame = data.frame('df')!;
    data.show(frame, range(100, 112));
    data.show(frame, range(900, 903));
    proceed();
    await settle();
    expect(kernel.profiled.slice(3)).toEqual(['df 100+12', 'df 900+3']);
  });

  it('drops the profiles of another object or dtype at once, and those of a run later', async () => {
    await activate();
    const frame = await open([0, 1]);
    let proceed = () => undefined as void;
    kernel.delay = new Promise(resolve => (proceed = resolve));
    kernel.run(listOf(frameOf('df', { a: 'float64', 城市: 'object' })));
    await settle();
    expect(frame.profile(0)).toBeUndefined();
    expect(frame.profile(1)?.missing).toBe(1);
    kernel.missingOf = () => 7;
    proceed();
    await settle();
    expect(frame.profile(0)?.missing).toBe(7);
    expect(frame.profile(1)?.missing).toBe(7);
    kernel.delay = new Promise(() => undefined);
    kernel.run(listOf({ ...DF, identity: 'df-2' }));
    await settle();
    expect(frame.profile(1)).toBeUndefined();
  });

  it('ignores profiles that arrive after a newer run', async () => {
    await activate();
    let proceed = () => undefined as void;
    kernel.delay = new Promise(resolve => (proceed = resolve));
    const frame = await open([0]);
    kernel.changed.emit('run');
    proceed();
    await settle();
    expect(frame.profile(0)).toBeUndefined();
    kernel.changed.emit('idle');
    await settle();
    expect(frame.profile(0)?.missing).toBe(0);
    expect(kernel.profiled).toEqual(['df 0+1', 'df 0+1']);
  });

  it('profiles all columns to sort by missing values, and sorts at the end', async () => {
    kernel.data = listOf(wide(100));
    kernel.missingOf = index => index % 10;
    await activate();
    const frame = await open(range(0, 5));
    let proceed = () => undefined as void;
    kernel.delay = new Promise(resolve => (proceed = resolve));
    data.setSort(frame, 'missing');
    expect(frame.order.slice(0, 3)).toEqual([0, 1, 2]);
    expect(frame.progress).toEqual({ done: 5, total: 100 });
    proceed();
    await settle();
    expect(frame.progress).toBeNull();
    expect(frame.order.slice(0, 3)).toEqual([9, 19, 29]);
    data.setFilter(frame, 'C9');
    expect(frame.order.slice(0, 2)).toEqual([9, 99]);
  });

  it('does without a profile that the kernel can’t make', async () => {
    await activate();
    kernel.columnsPerRequest = 0;
    const frame = await open([0, 1]);
    expect([frame.profile(0), frame.profile(1)]).toEqual([null, null]);
    expect(kernel.profiled).toEqual(['df 0+2', 'df 1+1']);
  });

  it('reads the list again if a variable has disappeared', async () => {
    await activate();
    kernel.data = listOf();
    const frame = await open([0]);
    expect(data.list?.items).toEqual([]);
    expect(frame.profile(0)).toBeNull();
  });

  it('asks only twice for profiles that take too long', async () => {
    await activate();
    const slow = jest.spyOn(kernel, 'profile').mockImplementation(async () => {
      kernel.isBusy = true;
      return kernel.list() as never; // Throws the error of a busy kernel.
    });
    const frame = await open([0]);
    for (let attempt = 0; attempt < 5; attempt++) {
      kernel.isBusy = false;
      kernel.changed.emit('idle');
      await settle();
    }
    expect(slow).toHaveBeenCalledTimes(2);
    expect(frame.profile(0)).toBeNull();
  });

  it('reads the columns of a LazyFrame only while it is open, and again after a run', async () => {
    const kind = 'polars.LazyFrame';
    const lazy = { kind, isLazy: true, rowCount: null, columnCount: null };
    kernel.data = listOf(frameOf('lf', {}, lazy));
    kernel.lazy = [{ name: 'a', dtype: 'Int64' }];
    await activate();
    const frame = data.frame('lf')!;
    expect(kernel.profiled).toEqual([]);
    data.toggle(frame);
    await settle();
    expect(kernel.profiled).toEqual(['lf columns']);
    expect(frame.item).toMatchObject({ columns: kernel.lazy, columnCount: 1 });
    expect(frame.order).toEqual([0]);
    data.show(frame, [0]);
    await settle();
    expect(kernel.profiled).toHaveLength(1);

    // A run may have changed the file. Until the new columns arrive, the former ones stay.
    kernel.lazy = null;
    kernel.run();
    await settle();
    expect(kernel.profiled).toHaveLength(2);
    expect(frame.item.columns).toEqual([]);
    kernel.run();
    data.toggle(frame);
    await settle();
    expect(kernel.profiled).toHaveLength(2);
  });

  it('computes nothing for lazy data, and notices a sample', async () => {
    kernel.data = listOf({ ...DF, name: 'lazy', isLazy: true }, DF);
    kernel.sampleRows = 4;
    await activate();
    await open([0, 1], 'lazy');
    expect(kernel.profiled).toEqual([]);
    const frame = await open([0, 1]);
    expect(frame.sampleRows).toBe(4);
  });
});
