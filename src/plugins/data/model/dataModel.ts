/**
 * The model of the data view. It follows the current notebook.
 *
 * Invariants:
 * - Each open notebook has a state of its own, so that a person can switch between notebooks without
 *   losing what is expanded.
 * - Only the current notebook is active, and only while the view is visible.
 */
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import { VDomModel } from '@jupyterlab/ui-components';

import type { IPromptRows } from '../../../tokens';
import { NotebookData } from './notebookData';

export type Tracker = Pick<
  INotebookTracker,
  'currentWidget' | 'currentChanged'
>;

export interface IDataModelOptions {
  readonly tracker: Tracker;
  readonly createData: (panel: NotebookPanel) => NotebookData;
  /** Null without prompt rows. */
  readonly mention: IPromptRows['mention'] | null;
}

export class DataModel extends VDomModel {
  constructor(private readonly _options: IDataModelOptions) {
    super();
    this.mention = _options.mention;
    _options.tracker.currentChanged.connect(this._sync, this);
  }

  readonly mention: IDataModelOptions['mention'];

  get isActive(): boolean {
    return this._isActive;
  }
  set isActive(value: boolean) {
    if (value !== this._isActive && !this.isDisposed) {
      this._isActive = value;
      this._sync();
    }
  }

  /** The current notebook's data; null if no notebook is open, or before the first activation. */
  get data(): NotebookData | null {
    return this._data;
  }

  override dispose(): void {
    this.isActive = false;
    this._options.tracker.currentChanged.disconnect(this._sync, this);
    this._open.forEach(data => data.dispose());
    super.dispose();
  }

  private _sync(): void {
    const panel = this._options.tracker.currentWidget;
    const isShown = this._isActive && panel && !panel.isDisposed;
    const data = isShown ? this._dataOf(panel) : null;
    if (this._data !== data && this._data) {
      this._data.isActive = false;
    }
    // While hidden, the view still shows the former data.
    if (this._isActive) {
      this._data = data;
      if (data) {
        data.isActive = true;
      }
      this.stateChanged.emit();
    }
  }

  private _dataOf(panel: NotebookPanel): NotebookData {
    let data = this._open.get(panel);
    if (!data) {
      const created = this._options.createData(panel);
      data = created;
      this._open.set(panel, created);
      created.changed.connect(() => {
        if (created === this._data) {
          this.stateChanged.emit();
        }
      });
      panel.disposed.connect(() => {
        created.dispose();
        this._open.delete(panel);
        if (created === this._data) {
          this._data = null;
          this._sync();
        }
      });
    }
    return data;
  }

  private _data: NotebookData | null = null;
  private _isActive = false;
  private readonly _open = new Map<NotebookPanel, NotebookData>();
}
