/**
 * Manages `metadata.aiserver.notebook_id`, the id under which a notebook's sessions are stored.
 *
 * Invariant: when the promise of `ensure` resolves, the file has the same notebook id and cell ids
 * as the page. Without an id in the file, a cell's history would not be found later: whenever
 * JupyterLab reads the file, it gives new random ids to cells without a unique one.
 *
 * A read-only notebook is an exception: its file is never written. The server recognizes it by its
 * path and cell ids, so that requests to a model work. The page still writes the notebook id into
 * the open notebook's metadata, for a copy that the person saves under another name.
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

/** AI Server's data in a notebook's metadata. */
const METADATA_KEY = 'aiserver';

export interface INotebookIdentityOptions {
  /** Registers a notebook's path; resolves to its id. */
  register: (body: NotebookBody) => Promise<Registration>;
  save: (panel: NotebookPanel) => Promise<void>;
  trans: TranslationBundle;
}

export class NotebookIdentity implements INotebookIdentity {
  constructor(private readonly _options: INotebookIdentityOptions) {}

  readonly changed = new Signal<this, NotebookPanel>(this);

  get(panel: NotebookPanel): string | null {
    const data = panel.content.model?.getMetadata(METADATA_KEY) as
      { notebook_id?: unknown } | undefined;
    const id = data?.notebook_id;
    return isValidId(id) ? id : null;
  }

  ensure(panel: NotebookPanel): Promise<string> {
    // Each registration may create an id, so overlapping calls share one.
    let registering = this._registering.get(panel);
    if (!registering) {
      registering = this._ensure(panel).finally(() =>
        this._registering.delete(panel)
      );
      this._registering.set(panel, registering);
    }
    return registering;
  }

  registered(panel: NotebookPanel): Promise<void> {
    return this._observing.get(panel) ?? Promise.resolve();
  }

  /**
   * Observe an open notebook. If it has an id, register its path now, and again when the path
   * changes, so that the server recognizes copies and moved files. Afterwards, emit `changed`, even
   * without an id, and resolve the promise, which never rejects. Emit `changed` again when the id
   * changes.
   */
  observe(panel: NotebookPanel): Promise<void> {
    const observing = this._observe(panel);
    this._observing.set(panel, observing);
    return observing;
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
    context.pathChanged.connect(() => void this._registerIfIdentified(panel));
    await this._registerIfIdentified(panel);
    this.changed.emit(panel);
  }

  private async _registerIfIdentified(panel: NotebookPanel): Promise<void> {
    if (this.get(panel)) {
      repairCellIds(panel.context.model);
      await this._register(panel).catch(() => undefined);
    }
  }

  /**
   * If the file may lack the id of the notebook or of a cell, register and save the notebook first.
   */
  private async _ensure(panel: NotebookPanel): Promise<string> {
    const { context } = panel;
    await context.ready;
    repairCellIds(context.model);
    const id = this.get(panel);
    if (id && this._savedIds.get(panel) === describeIds(panel, id)) {
      return id;
    }
    const notebookId = await this._register(panel);
    // Read before saving: a cell that is added meanwhile may be missing in the file.
    const savedIds = describeIds(panel, notebookId);
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
    this._savedIds.set(panel, savedIds);
    return notebookId;
  }

  /** Write the id that the server returns into the notebook. */
  private async _register(panel: NotebookPanel): Promise<string> {
    const { notebookId } = await this._options.register({
      path: panel.context.localPath,
      notebookId: this.get(panel),
      cellIds: cellIds(panel)
    });
    if (notebookId !== this.get(panel)) {
      const model = panel.context.model;
      const data = model.getMetadata(METADATA_KEY) as object | undefined;
      model.setMetadata(METADATA_KEY, { ...data, notebook_id: notebookId });
    }
    return notebookId;
  }

  /** The pending call of `ensure` for each notebook. */
  private readonly _registering = new Map<NotebookPanel, Promise<string>>();
  /** The call of `observe` for each notebook. */
  private readonly _observing = new WeakMap<NotebookPanel, Promise<void>>();
  /** The result of `describeIds` when `ensure` last saved each notebook. */
  private readonly _savedIds = new WeakMap<NotebookPanel, string>();
}

/**
 * Call `register` and return its result, behind the queued changes of a notebook that has an id. If
 * it overtook one, the older order of the cells in the change would replace the order that
 * `register` sends.
 */
export function enqueueRegistration<T>(
  history: Pick<IHistory, 'enqueue'>,
  { notebookId }: NotebookBody,
  register: () => Promise<T>
): Promise<T> {
  return notebookId ? history.enqueue(notebookId, register) : register();
}

/** Return the valid, distinct ids of the first `MAX_ORDERED_CELLS` cells. */
function cellIds(panel: NotebookPanel): string[] {
  const ids = [...(panel.content.model?.cells ?? [])].map(cell => cell.id);
  return [...new Set(ids)].filter(isValidId).slice(0, MAX_ORDERED_CELLS);
}

/**
 * Return the notebook's path, its id and its cells' ids as one string. If it hasn't changed since
 * the last save, the file contains all these ids.
 */
function describeIds(panel: NotebookPanel, notebookId: string): string {
  return [panel.context.path, notebookId, ...cellIds(panel)].join('\n');
}
