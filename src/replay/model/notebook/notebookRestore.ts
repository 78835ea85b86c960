/**
 * Restores the whole current notebook as it was after a moment, in place or as a copy.
 *
 * Invariants:
 * - In place, one undo of the notebook reverts it, and it is recorded as one change by the person:
 *   everything that it replaces or removes stays in the history.
 * - If the notebook has changed since the plan was made, nothing is changed.
 * - A copy never replaces a file.
 */
import type { ICell, INotebookContent } from '@jupyterlab/nbformat';
import type { ICodeCellModel } from '@jupyterlab/cells';
import { PathExt } from '@jupyterlab/coreutils';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';

import { findFreePath } from '../../../api/freePath';
import type { NotebookSnapshot } from '../../../api/types';
import { applyOperations, findRefusal } from '../../../cells/operations';
import { runAsOwnWrite } from '../../../cells/ownWrites';
import { recordedCell } from '../../../cells/recordedCell';
import { digestOf, sourceOf } from '../../../cells/source';
import { PERSON } from '../../../records/contributor';
import type { IHistory, INotebookIdentity, ITracking } from '../../../tokens';
import type { IPlan } from './restorePlan';

/** The longest name of a copy without its time, in bytes; file systems allow 255 in all. */
const MAX_NAME = 200;

/** Why a notebook can't be restored in place. */
export type RestoreRefusal = 'running' | 'readOnly' | 'changed' | 'unrecorded';

/** A notebook, what it becomes, and the time to which it is restored. */
export interface INotebookPlan extends IPlan {
  readonly panel: NotebookPanel;
  readonly time: string;
  /** The ids, types and digests of the cells for which the plan was made. */
  readonly basis: string;
}

export interface INotebookRestoreOptions {
  /** Return the notebook that the sidebar shows; null if there is none. */
  readonly current: () => NotebookPanel | null;
  readonly identity: Pick<INotebookIdentity, 'get'>;
  readonly history: Pick<IHistory, 'api'>;
  /** Null if changes aren't recorded. */
  readonly tracking: Pick<ITracking, 'recordWrite'> | null;
  readonly contents: Pick<Contents.IManager, 'get' | 'save'>;
  readonly open: (path: string) => Promise<void>;
}

export class NotebookRestore {
  constructor(private readonly _options: INotebookRestoreOptions) {}

  /**
   * Plan to restore the current notebook; null if it isn't the notebook of the snapshot.
   *
   * @param hasHistory Whether a cell has a history.
   */
  async plan(
    notebookId: string,
    { cells, timestamp: time }: NotebookSnapshot,
    hasHistory: (cellId: string) => boolean
  ): Promise<INotebookPlan | null> {
    const { current, identity } = this._options;
    const { api } = this._options.history;
    const panel = current();
    if (!panel || identity.get(panel) !== notebookId) {
      return null;
    }
    // Loaded now, because the start of the page loads this module.
    const { planRestore } = await import('./restorePlan');
    const now = panel.context.model.sharedModel.cells.map(cell => ({
      id: cell.getId(),
      source: sourceOf(cell),
      digest: digestOf(cell),
      content: cell.toJSON() as ICell
    }));
    const basis = basisOf(panel);
    const plan = await planRestore(now, cells, hasHistory, cell =>
      recordedCell(api, notebookId, cell, cell.step ?? -1)
    );
    return { panel, time, basis, ...plan };
  }

  /** Return why a plan can't be carried out in place now; null if it can. */
  refusal({ panel, operations, basis }: INotebookPlan): RestoreRefusal | null {
    if (panel.isDisposed || basisOf(panel) !== basis) {
      return 'changed';
    }
    if (findRefusal(panel, operations)) {
      return 'readOnly'; // Its cells are those of the plan.
    }
    const isRunning = panel.content.widgets.some(
      ({ model }) => (model as ICodeCellModel).executionState === 'running'
    );
    return isRunning ? 'running' : null;
  }

  /** Restore in place. Resolves to why it was refused; to null if it was done. */
  async restoreHere(plan: INotebookPlan): Promise<RestoreRefusal | null> {
    const { panel, operations, time } = plan;
    const { tracking } = this._options;
    const author = { contributor: PERSON, data: { restored_to: time } };
    const write = (): RestoreRefusal | 'done' => {
      const refusal = this.refusal(plan); // The person may have gone on typing.
      if (!refusal) {
        runAsOwnWrite(
          () => applyOperations(panel, operations, 'notebook'),
          author
        );
      }
      return refusal ?? 'done';
    };
    const ids = [...new Set(operations.map(({ cell }) => cell))];
    const result =
      this.refusal(plan) ??
      (tracking ? await tracking.recordWrite(panel, ids, write) : write()) ??
      'unrecorded';
    return result === 'done' ? null : result;
  }

  /**
   * Write the restored notebook into a new file beside it, and open it. It gets an id of its own and
   * a copy of the history when it is opened, like any copy.
   */
  async restoreCopy({ panel, cells, time }: INotebookPlan): Promise<void> {
    const { contents, open } = this._options;
    const { path } = panel.context;
    const content = {
      ...(panel.context.model.toJSON() as INotebookContent),
      cells: cells as ICell[]
    };
    const name = PathExt.basename(path);
    const folder = path.slice(0, path.length - name.length);
    const stem = shortened(PathExt.basename(path, '.ipynb'));
    // In Swedish, times are written as in ISO 8601. Not all file systems allow colons.
    const label = `restored ${new Date(time).toLocaleString('sv')}`;
    const copy = await findFreePath(contents, count => {
      const number = count > 1 ? ` ${count}` : '';
      return `${folder}${stem} (${label.replaceAll(':', '.')}${number}).ipynb`;
    });
    await contents.save(copy, { type: 'notebook', format: 'json', content });
    await open(copy);
  }
}

function shortened(name: string): string {
  const bytes = new TextEncoder().encode(name).slice(0, MAX_NAME);
  // Without the beginning of a character at the end.
  return new TextDecoder().decode(bytes, { stream: true });
}

function basisOf({ context }: NotebookPanel): string {
  const { cells } = context.model.sharedModel;
  return JSON.stringify(
    cells.map(cell => [cell.getId(), cell.cell_type, digestOf(cell)])
  );
}
