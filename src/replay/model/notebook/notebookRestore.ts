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
import type { Contents, ServerConnection } from '@jupyterlab/services';

import type { NotebookSnapshot } from '../../../api/types';
import { applyOperations, findRefusal } from '../../../cells/operations';
import { runAsOwnWrite } from '../../../cells/ownWrites';
import { digestOf, sourceOf } from '../../../cells/source';
import { PERSON } from '../../../records/contributor';
import { recordedOutputs } from '../../../records/recordedOutputs';
import type { IHistory, INotebookIdentity, ITracking } from '../../../tokens';
import type { IPlan, IPresentCell } from './restorePlan';

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
   * @param withSteps The ids of the cells with a history. Without a step yet, they were blank.
   */
  async plan(
    notebookId: string,
    { cells: past, timestamp: time }: NotebookSnapshot,
    withSteps: ReadonlySet<string>
  ): Promise<INotebookPlan | null> {
    const { current, identity, history } = this._options;
    const panel = current();
    if (!panel || identity.get(panel) !== notebookId) {
      return null;
    }
    // Loaded now, because the start of the page loads this module.
    const { cellsWithNewOutputs, planRestore } = await import('./restorePlan');
    const now = presentCells(panel);
    const basis = basisOf(panel);
    const cells = past.map(cell =>
      withSteps.has(cell.cellId) ? { ...cell, step: cell.step ?? -1 } : cell
    );
    const outputs = await Promise.all(
      cellsWithNewOutputs(now, cells).map(async ({ cellId, source, step }) => {
        const key = { notebookId, cellId };
        const lastStep = step ?? -1;
        return [
          cellId,
          await recordedOutputs(history.api, key, source, lastStep)
        ] as const;
      })
    );
    return { panel, time, basis, ...planRestore(now, cells, new Map(outputs)) };
  }

  /** Return why a plan can't be carried out in place now; null if it can. */
  refusal({ panel, operations, basis }: INotebookPlan): RestoreRefusal | null {
    if (panel.isDisposed || basisOf(panel) !== basis) {
      return 'changed';
    }
    const refused = findRefusal(panel, operations);
    if (refused) {
      return refused.code === 'read_only' ? 'readOnly' : 'changed';
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
    const refusal = this.refusal(plan);
    if (refusal) {
      return refusal;
    }
    const author = { contributor: PERSON, data: { restored_to: time } };
    const write = (): RestoreRefusal | 'done' => {
      const newRefusal = this.refusal(plan); // The person may have gone on typing.
      if (newRefusal) {
        return newRefusal;
      }
      runAsOwnWrite(
        () => applyOperations(panel, operations, 'notebook'),
        author
      );
      return 'done';
    };
    const ids = [...new Set(operations.map(({ cell }) => cell))];
    const result = tracking
      ? await tracking.recordWrite(panel, ids, write)
      : write();
    return result === 'done' ? null : (result ?? 'unrecorded');
  }

  /**
   * Write the restored notebook into a new file beside it, and open it. It gets an id of its own and
   * a copy of the history when it is opened, like any copy. Resolves to its path.
   */
  async restoreCopy({ panel, cells, time }: INotebookPlan): Promise<string> {
    const { contents, open } = this._options;
    const content = {
      ...(panel.context.model.toJSON() as INotebookContent),
      cells: cells as ICell[]
    };
    const path = await this._freePath(panel.context.path, time);
    await contents.save(path, { type: 'notebook', format: 'json', content });
    await open(path);
    return path;
  }

  private async _freePath(path: string, time: string): Promise<string> {
    let name = [...PathExt.basename(path, '.ipynb')];
    const bytes = () => new TextEncoder().encode(name.join('')).length;
    while (bytes() > MAX_NAME) {
      name = name.slice(0, -1);
    }
    const folder = path.slice(0, path.length - PathExt.basename(path).length);
    for (let count = 1; ; count++) {
      const number = count > 1 ? ` ${count}` : '';
      const label = `restored ${localTime(new Date(time))}${number}`;
      const free = `${folder}${name.join('')} (${label}).ipynb`;
      if (!(await this._exists(free))) {
        return free;
      }
    }
  }

  private async _exists(path: string): Promise<boolean> {
    try {
      await this._options.contents.get(path, { content: false });
      return true;
    } catch (reason) {
      const status = (reason as ServerConnection.ResponseError).response
        ?.status;
      if (status === 404) {
        return false;
      }
      throw reason;
    }
  }
}

/** Format a time as the command line does in names of files: `2026-03-12 16.40.00`. */
function localTime(time: Date): string {
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ').replace(/:/g, '.');
}

function basisOf({ context }: NotebookPanel): string {
  const { cells } = context.model.sharedModel;
  return JSON.stringify(
    cells.map(cell => [cell.getId(), cell.cell_type, digestOf(cell)])
  );
}

function presentCells(panel: NotebookPanel): IPresentCell[] {
  return panel.context.model.sharedModel.cells.map(cell => ({
    id: cell.getId(),
    type: cell.cell_type as string,
    source: sourceOf(cell),
    digest: digestOf(cell),
    content: cell.toJSON() as ICell
  }));
}
