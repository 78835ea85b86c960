/** A fake kernel whose data the specs set, and profiles of its columns. */
import { Signal } from '@lumino/signaling';

import type {
  IColumnProfile,
  IDataColumn,
  IDataItem,
  IDataList,
  IProfiledColumns
} from '../../../kernel/profile';
import type { KernelEvent } from '../../../kernel/kernelEvents';
import { DataLanguage, KernelBusyError } from '../../../kernel/request';
import type { IDataKernel, KernelState } from './notebookKernel';

/** With columns such as `{ price: 'float64' }`. */
export function frameOf(
  name: string,
  dtypes: Record<string, string>,
  change: Partial<IDataItem> = {}
): IDataItem {
  const columns = Object.entries(dtypes).map(([name, dtype]) => ({
    name,
    dtype
  }));
  return {
    name,
    kind: 'pandas.DataFrame',
    rowCount: 10,
    columnCount: columns.length,
    shape: null,
    bytes: 2048,
    isLazy: false,
    columns,
    identity: `${name}-1`,
    ...change
  };
}

export const listOf = (...items: IDataItem[]): IDataList => ({
  items,
  isComplete: true
});

export class FakeKernel implements IDataKernel {
  readonly changed: Signal<IDataKernel, KernelEvent> = new Signal(this);
  state: KernelState = 'ready';
  language: DataLanguage | null = 'python';
  isDisposed = false;
  /** An error makes requests fail. */
  data: IDataList | Error = listOf();
  /** Whether the kernel refuses requests, because it runs code. */
  isBusy = false;
  listCount = 0;
  /** The columns of lazy data. */
  lazy: IDataColumn[] | null = null;
  /** The requests for profiles, such as `df 0+40`. */
  readonly profiled: string[] = [];
  /** The columns that the kernel profiles before its time is up. */
  columnsPerRequest = 40;
  /** By default, a column has as many missing values as its position. */
  missingOf = (index: number): number => index;
  sampleRows = Infinity;
  /** Requests for profiles wait for it. */
  delay: Promise<void> | null = null;

  async list(): Promise<IDataList> {
    this.listCount++;
    return this._data;
  }

  async profile(
    name: string,
    first: number,
    count: number
  ): Promise<IProfiledColumns | null> {
    this.profiled.push(`${name} ${first}+${count}`);
    const item = this._data.items.find(item => item.name === name);
    await this.delay;
    if (!item) {
      return null;
    }
    const end = first + Math.min(count, this.columnsPerRequest);
    return {
      rowCount: item.rowCount,
      next: end < first + count ? end : null,
      columns: item.columns
        .slice(first, end)
        .map(({ name, dtype }, at) => this._profile(first + at, name, dtype))
    };
  }

  async lazyColumns(name: string): Promise<IDataColumn[] | null> {
    this.profiled.push(`${name} columns`);
    return this.lazy;
  }

  /** Run code that changes the data. */
  run(data: IDataList | null = null): void {
    this.changed.emit('run');
    this.data = data ?? this.data;
    this.changed.emit('idle');
  }

  dispose(): void {
    this.isDisposed = true;
  }

  private get _data(): IDataList {
    if (this.isBusy) {
      throw new KernelBusyError();
    }
    if (this.data instanceof Error) {
      throw this.data;
    }
    return this.data;
  }

  private _profile(index: number, name: string, dtype: string): IColumnProfile {
    const isNumber = /int|float/.test(dtype);
    return {
      index,
      name,
      dtype,
      rows: Math.min(10, this.sampleRows),
      missing: this.missingOf(index),
      distinct: 3,
      top: isNumber ? [] : [{ value: '<b>北京</b>', count: 4 }],
      ...(isNumber && {
        numbers: {
          min: 1,
          max: 9,
          mean: 4.5,
          std: 2,
          quartiles: [2, 4, 7]
        },
        histogram: { min: 1, max: 9, counts: [1, 0, 5] }
      })
    };
  }
}
