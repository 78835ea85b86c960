/**
 * One variable of the data view: what a person has set for it (open, filter, sort, scroll position),
 * and the profiles of its columns.
 *
 * Invariants:
 * - A profile is valid until the next run. Afterwards, it is shown until the new one arrives if the
 *   variable still contains the same object and the column has the same dtype; otherwise not at all.
 * - The columns of a `polars.LazyFrame` are read only while it is open, and again after a run.
 * - Only visible columns are profiled, unless the sort needs the profiles of all.
 */
import type {
  IColumnProfile,
  IDataColumn,
  IDataItem,
  IProfiledColumns
} from '../../../kernel/profile';
import {
  SortKey,
  filterColumns,
  needsProfiles,
  sortColumns
} from './columnOrder';

/** The most columns that are asked for at once. */
const MAX_COUNT = 40;

/** The list lacks its columns: finding them out may read a file. */
const LAZY_KIND = 'polars.LazyFrame';

interface IEntry {
  /** Null if the kernel could not profile the column. */
  readonly profile: IColumnProfile | null;
  /** Whether code has run since. */
  readonly isStale: boolean;
}

/** `count` columns from the position `first`. */
export interface IColumnRange {
  readonly first: number;
  readonly count: number;
}

let frameCount = 0;

export class Frame {
  constructor(
    item: IDataItem,
    private readonly _locale?: string
  ) {
    this._item = item;
    this._order = item.columns.map((_, index) => index);
  }

  /** Differs from that of each other frame, also of another notebook. */
  readonly id = ++frameCount;
  isOpen = false;
  scrollTop = 0;
  /** The positions of the columns whose details are shown. */
  readonly detailed = new Set<number>();

  get item(): IDataItem {
    return this._item;
  }

  get filter(): string {
    return this._filter;
  }
  set filter(filter: string) {
    this._filter = filter;
    this.scrollTop = 0;
    this._updateOrder();
  }

  get sort(): SortKey {
    return this._sort;
  }
  set sort(sort: SortKey) {
    this._sort = sort;
    this.scrollTop = 0;
    this._updateOrder();
  }

  /** The positions of the columns to show, in their order. */
  get order(): readonly number[] {
    return this._order;
  }

  /** The number of profiled columns, while the sort waits for the others, or null. */
  get progress(): { done: number; total: number } | null {
    if (this._isSorted) {
      return null;
    }
    const total = this._item.columns.length;
    const done = this._item.columns.filter((_, at) => this._entries.has(at));
    return { done: done.length, total };
  }

  /** The number of examined rows if they are a sample, or null. */
  get sampleRows(): number | null {
    return this._sampleRows;
  }

  /** Undefined before the profile arrives, null if it can't be made. */
  profile(index: number): IColumnProfile | null | undefined {
    return this._entries.get(index)?.profile;
  }

  /** Set the visible columns; return whether others were visible before. */
  show(indices: readonly number[]): boolean {
    const key = indices.join();
    const isNew = key !== this._visible.join();
    this._visible = indices;
    return isNew;
  }

  /** Whether the columns are to be read, because the list doesn't contain those of lazy data. */
  get needsColumns(): boolean {
    const { kind } = this._item;
    return this.isOpen && kind === LAZY_KIND && !this._hasReadColumns;
  }

  /** Null if the kernel can't tell the columns of lazy data. */
  setColumns(columns: IDataColumn[] | null): void {
    this._hasReadColumns = true;
    const columnCount = columns?.length ?? null;
    this._item = { ...this._item, columns: columns ?? [], columnCount };
    this._updateOrder();
  }

  /** Replace the variable's description after a run, or without one. */
  update(item: IDataItem, hasRun: boolean): void {
    const { columns, columnCount, identity } = this._item;
    if (item.kind === LAZY_KIND && item.identity === identity) {
      item = { ...item, columns, columnCount };
    }
    const isSameObject = item.identity === identity;
    this._hasReadColumns &&= !hasRun && isSameObject;
    this._sampleRows = isSameObject ? this._sampleRows : null;
    this._keepProfiles(isSameObject ? item.columns : [], hasRun);
    for (const index of this.detailed) {
      if (columns[index]?.name !== item.columns[index]?.name) {
        this.detailed.delete(index);
      }
    }
    this._item = item;
    this._updateOrder();
  }

  /** Remove the profiles of columns that aren't the same in the new list. */
  private _keepProfiles(newer: readonly IDataColumn[], hasRun: boolean): void {
    for (const [index, { profile }] of this._entries) {
      const column = this._item.columns[index];
      const same = newer[index];
      if (same?.name !== column?.name || same?.dtype !== column?.dtype) {
        this._entries.delete(index);
      } else if (hasRun) {
        this._entries.set(index, { profile, isStale: true });
      }
    }
  }

  /** Return the next columns to ask the kernel for, or null. */
  nextRange(): IColumnRange | null {
    if (!this.isOpen || this._item.isLazy) {
      return null;
    }
    const wanted = new Set(
      [
        ...this._visible,
        ...(needsProfiles(this._sort)
          ? this._item.columns.map((_, index) => index)
          : [])
      ].filter(index => index < this._item.columns.length && this._needs(index))
    );
    const [first] = wanted;
    if (first === undefined) {
      return null;
    }
    let count = 1;
    while (count < MAX_COUNT && wanted.has(first + count)) {
      count++;
    }
    return { first, count };
  }

  store(range: IColumnRange, { columns, rowCount }: IProfiledColumns): void {
    const isInRange = ({ index }: IColumnProfile) =>
      index >= range.first && index < range.first + range.count;
    const profiles = columns.filter(isInRange);
    for (const profile of profiles) {
      // A changed column gets a profile after the next run, with the new list.
      const isSame = this._item.columns[profile.index]?.name === profile.name;
      this._set(profile.index, isSame ? profile : null);
      if (profile.rows && rowCount !== null) {
        this._sampleRows = profile.rows < rowCount ? profile.rows : null;
      }
    }
    if (!profiles.some(({ index }) => index === range.first)) {
      this._set(range.first, null); // Don't ask for it again and again.
    }
    this._sortIfComplete();
  }

  fail({ first, count }: IColumnRange): void {
    for (let index = first; index < first + count; index++) {
      this._set(index, null);
    }
    this._sortIfComplete();
  }

  private _needs(index: number): boolean {
    return this._entries.get(index)?.isStale ?? true;
  }

  private _set(index: number, profile: IColumnProfile | null): void {
    this._entries.set(index, { profile, isStale: false });
  }

  private _sortIfComplete(): void {
    if (needsProfiles(this._sort) && !this._isRefreshing) {
      this._updateOrder();
    }
  }

  private get _isRefreshing(): boolean {
    return this._item.columns.some((_, index) => this._needs(index));
  }

  /** Until all profiles that the sort needs are there, sort by position. */
  private _updateOrder(): void {
    const { columns, isLazy } = this._item;
    this._isSorted =
      !needsProfiles(this._sort) ||
      isLazy ||
      columns.every((_, index) => this._entries.has(index));
    this._order = sortColumns(
      filterColumns(columns, this._filter),
      this._isSorted ? this._sort : 'position',
      columns,
      index => this.profile(index) ?? undefined,
      this._locale
    );
  }

  private _hasReadColumns = false;
  private _item: IDataItem;
  private _filter = '';
  private _sort: SortKey = 'position';
  private _order: number[];
  private _isSorted = true;
  private _sampleRows: number | null = null;
  private _visible: readonly number[] = [];
  private readonly _entries = new Map<number, IEntry>();
}
