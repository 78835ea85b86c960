/**
 * Manages `metadata.aiserver.notebook_id`, the id under which a notebook's sessions are stored.
 *
 * Invariant: when `ensure` returns, the file on disk has the same notebook id and cell ids as the
 * page. This matters because JupyterLab creates new random cell ids on each read of a file whose
 * cell ids are missing or duplicate, or whose format is older than nbformat 4.5, until the notebook
 * is saved.
 *
 * Requests also work in a read-only notebook, which is never written: the server recognizes such a
 * notebook by its path and cell ids. A saved copy of the notebook keeps the id.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';

import type {
  NotebookBody,
  NotebookIdentity as Registration
} from '../../api/types';
import type { IHistory, INotebookIdentity } from '../../tokens';
import { isReadOnly } from '../../cells/readOnly';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import { isValidId, repairCellIds } from '../../cells/cellIds';

const KEY = 'aiserver';

export interface INotebookIdentityOptions {
  /** Registers a notebook's path with the server, which returns the notebook's id. */
  register: (body: NotebookBody) => Promise<Registration>;
  /** Saves a notebook. */
  save: (panel: NotebookPanel) => Promise<void>;
  trans: TranslationBundle;
}

export class NotebookIdentity implements INotebookIdentity {
  constructor(private readonly _options: INotebookIdentityOptions) {}

  readonly changed = new Signal<this, NotebookPanel>(this);

  get(panel: NotebookPanel): string | null {
    const data = panel.content.model?.getMetadata(KEY) as
      { notebook_id?: unknown } | undefined;
    const id = data?.notebook_id;
    return isValidId(id) ? id : null;
  }

  ensure(panel: NotebookPanel): Promise<string> {
    // Simultaneous calls share one registration; otherwise each call would create an id.
    let pending = this._pending.get(panel);
    if (!pending) {
      pending = this._ensure(panel).finally(() => this._pending.delete(panel));
      this._pending.set(panel, pending);
    }
    return pending;
  }

  registered(panel: NotebookPanel): Promise<void> {
    return this._observed.get(panel) ?? Promise.resolve();
  }

  /**
   * Observe an open notebook: register its path with the server, so that copies and moved files
   * are recognized, and emit `changed` when its id changes. Never saves, never rejects.
   */
  observe(panel: NotebookPanel): Promise<void> {
    const observed = this._observe(panel);
    this._observed.set(panel, observed);
    return observed;
  }

  private async _observe(panel: NotebookPanel): Promise<void> {
    await panel.context.ready;
    if (panel.isDisposed) {
      return;
    }
    const { context } = panel;
    let id = this.get(panel);
    context.model.metadataChanged.connect(() => {
      if (id !== this.get(panel)) {
        id = this.get(panel);
        this.changed.emit(panel);
      }
    });
    context.pathChanged.connect(() => void this._refresh(panel));
    await this._refresh(panel);
    this.changed.emit(panel);
  }

  /** Register a notebook that already has an id. */
  private async _refresh(panel: NotebookPanel): Promise<void> {
    if (this.get(panel)) {
      repairCellIds(panel.context.model);
      await this._registerPanel(panel).catch(() => undefined);
    }
  }

  private async _ensure(panel: NotebookPanel): Promise<string> {
    const { context } = panel;
    await context.ready;
    repairCellIds(context.model);
    const id = this.get(panel);
    if (id && this._savedIds.get(panel) === idsOnDisk(panel, id)) {
      return id;
    }
    const notebookId = await this._registerPanel(panel);
    // Compute the ids before the save, because the file may lack a cell that is added meanwhile.
    const saved = idsOnDisk(panel, notebookId);
    try {
      if (!isReadOnly(panel)) {
        await this._options.save(panel);
      }
    } catch {
      throw new Error(
        this._options.trans.__(
          'The notebook could not be saved, so the request was not sent. Save it, then try again.'
        )
      );
    }
    this._savedIds.set(panel, saved);
    return notebookId;
  }

  private async _registerPanel(panel: NotebookPanel): Promise<string> {
    const { notebookId } = await this._options.register({
      path: panel.context.localPath,
      notebookId: this.get(panel),
      cellIds: cellIds(panel)
    });
    if (notebookId !== this.get(panel)) {
      const model = panel.context.model;
      const data = model.getMetadata(KEY) as object | undefined;
      model.setMetadata(KEY, { ...data, notebook_id: notebookId });
    }
    return notebookId;
  }

  private readonly _pending = new Map<NotebookPanel, Promise<string>>();
  private readonly _observed = new WeakMap<NotebookPanel, Promise<void>>();
  private readonly _savedIds = new WeakMap<NotebookPanel, string>();
}

/**
 * Queue the registration of a notebook's path and cells among the notebook's changes, so that an
 * older order of its cells is never recorded after a newer one.
 */
export function enqueueRegistration<T>(
  history: Pick<IHistory, 'enqueue'>,
  { notebookId }: NotebookBody,
  register: () => Promise<T>
): Promise<T> {
  return notebookId ? history.enqueue(notebookId, register) : register();
}

function cellIds(panel: NotebookPanel): string[] {
  const ids = [...(panel.content.model?.cells ?? [])].map(cell => cell.id);
  return [...new Set(ids)].filter(isValidId).slice(0, MAX_ORDERED_CELLS);
}

/**
 * Combine the path and all ids that must be on disk before a request into one comparable string.
 */
function idsOnDisk(panel: NotebookPanel, id: string): string {
  return [panel.context.path, id, ...cellIds(panel)].join('\n');
}
