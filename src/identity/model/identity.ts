/**
 * `metadata.aiserver.notebook_id`: the name under which a notebook's sessions are kept.
 *
 * What must hold: when `ensure` returns, the file on disk holds the notebook's id and the
 * cells' ids that the page knows. Cell ids that are missing or doubled on disk (and those
 * of notebooks older than nbformat 4.5, which JupyterLab upgrades in memory only) are new
 * at random on each read until the notebook is saved.
 *
 * A read-only notebook can be asked in, too: it is never written, and the server knows it
 * again by its path and its cells' ids. A copy of it that is saved takes the id along.
 */
import type { NotebookPanel } from '@jupyterlab/notebook';
import { ISignal, Signal } from '@lumino/signaling';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { NotebookBody, NotebookIdentity as Answer } from '../../api/types';
import type { IHistory, INotebookIdentity } from '../../tokens';
import { isReadOnly } from '../../cells/readOnly';
import { MAX_ORDERED_CELLS } from '../../records/limits';
import { isValidId, repairCellIds } from '../../cells/cellIds';

const KEY = 'aiserver';

export interface INotebookIdentityOptions {
  /** Tells the server where a notebook is; it answers with the id to carry. */
  register: (body: NotebookBody) => Promise<Answer>;
  /** Writes a notebook's file. */
  save: (panel: NotebookPanel) => Promise<void>;
  trans: TranslationBundle;
}

export class NotebookIdentity implements INotebookIdentity {
  constructor(options: INotebookIdentityOptions) {
    this._register = options.register;
    this._save = options.save;
    this._trans = options.trans;
  }

  get changed(): ISignal<INotebookIdentity, NotebookPanel> {
    return this._changed;
  }

  get(panel: NotebookPanel): string | null {
    const data = panel.content.model?.getMetadata(KEY) as
      { notebook_id?: unknown } | undefined;
    const id = data?.notebook_id;
    return isValidId(id) ? id : null;
  }

  ensure(panel: NotebookPanel): Promise<string> {
    // Two requests at once share one way: else each would give the notebook an id.
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
   * Follow an open notebook: tell the server where it is, so that a copy or a moved file is
   * noticed, and tell those who listen when its id changes. Never saves, never throws.
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
        this._changed.emit(panel);
      }
    });
    context.pathChanged.connect(() => void this._locate(panel));
    await this._locate(panel);
    this._changed.emit(panel);
  }

  /** Take the id from the server for a notebook that has one already. */
  private async _locate(panel: NotebookPanel): Promise<void> {
    if (this.get(panel)) {
      repairCellIds(panel.context.model);
      await this._identify(panel).catch(() => undefined);
    }
  }

  private async _ensure(panel: NotebookPanel): Promise<string> {
    const { context } = panel;
    await context.ready;
    repairCellIds(context.model);
    const id = this.get(panel);
    if (id && this._onDisk.get(panel) === fingerprint(panel, id)) {
      return id;
    }
    const given = await this._identify(panel);
    // Of before the save: a cell that is added while it runs may not be in the file.
    const saved = fingerprint(panel, given);
    try {
      if (!isReadOnly(panel)) {
        await this._save(panel);
      }
    } catch {
      throw new Error(
        this._trans.__(
          'The notebook could not be saved, so the request was not sent. Save it, then try again.'
        )
      );
    }
    this._onDisk.set(panel, saved);
    return given;
  }

  private async _identify(panel: NotebookPanel): Promise<string> {
    const { notebookId } = await this._register({
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

  private readonly _register: INotebookIdentityOptions['register'];
  private readonly _save: INotebookIdentityOptions['save'];
  private readonly _trans: TranslationBundle;
  private readonly _changed = new Signal<INotebookIdentity, NotebookPanel>(
    this
  );
  private readonly _pending = new Map<NotebookPanel, Promise<string>>();
  private readonly _observed = new WeakMap<NotebookPanel, Promise<void>>();
  private readonly _onDisk = new WeakMap<NotebookPanel, string>();
}

/**
 * Tell the server where a notebook is and which cells it has, behind all that was told of it
 * before, and before what happens next: else an older order of its cells would stand last.
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

/** Changes with all that must be on disk before a request names it. */
function fingerprint(panel: NotebookPanel, id: string): string {
  return [panel.context.path, id, ...cellIds(panel)].join('\n');
}
