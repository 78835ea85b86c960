import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Session } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import { codeCellsBefore, kernelSpecOf } from '../../../cells/context';
import { findCell, NotebookCell } from '../../../cells/notebookCell';
import { startFreshKernel } from '../../../kernel/freshKernel';
import { isForbidden } from '../../../state/features';
import type {
  IModels,
  INotebookIdentity,
  IOtherModelOptions,
  IPromptRows
} from '../../../tokens';
import type { IAskAgainHost } from './askAgain';
import type { IAgainCell } from './run';

export class AskAgainHost implements IAskAgainHost {
  constructor(
    private readonly _options: {
      readonly tracker: INotebookTracker;
      readonly identity: INotebookIdentity;
      readonly rows: IPromptRows;
      readonly models: IModels;
      readonly sessions: Session.IManager;
      readonly trans: TranslationBundle;
    }
  ) {}

  findCell(cellId: string): IAgainCell | null {
    const panel = this._options.tracker.currentWidget;
    return panel && findCell(panel, cellId) ? this._cell(panel, cellId) : null;
  }

  pickModel(options: IOtherModelOptions): void {
    this._options.models.pickOther(options);
  }

  private _cell(panel: NotebookPanel, cellId: string): IAgainCell {
    const { identity, rows, sessions, trans } = this._options;
    const cell = new NotebookCell(panel, cellId, identity, trans);
    return {
      get isBusy() {
        return rows.isBusy(panel, cellId);
      },
      get isInNotebook() {
        return cell.source() !== null;
      },
      get canRun() {
        return cell.cellType === 'code' && !isForbidden('running');
      },
      get codeAbove() {
        return panel.isDisposed
          ? []
          : codeCellsBefore(panel.context.model, cellId);
      },
      repeat: (request, signal) => rows.repeat(panel, cellId, request, signal),
      countProblems: async code => (await cell.check(code))?.length ?? null,
      startKernel: () =>
        startFreshKernel(sessions, panel.context.localPath, kernelSpecOf(panel))
    };
  }
}
