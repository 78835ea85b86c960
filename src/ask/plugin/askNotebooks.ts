/** The prompt rows of all open notebooks, loaded when the first one is opened. */
import type { JupyterFrontEnd } from '@jupyterlab/application';
import { Notification } from '@jupyterlab/apputils';
import type { Cell } from '@jupyterlab/cells';
import type { IEditorServices } from '@jupyterlab/codeeditor';
import { PathExt } from '@jupyterlab/coreutils';
import type { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import type { Contents } from '@jupyterlab/services';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import { Signal } from '@lumino/signaling';

import type { ApiClient } from '../../api/client';
import { languageOf } from '../../cells/context';
import { NotebookCell } from '../../cells/notebookCell';
import { listDataFrames } from '../../kernel/variables';
import { copyText, openMenu } from '../../ui/focus';
import { DailyBudget } from '../../state/dailyBudget';
import {
  CommandIDs,
  IHistory,
  IMemory,
  IModels,
  INotebookIdentity,
  IRepeatedAnswer,
  IRepeatedRequest,
  ITracking
} from '../../tokens';
import { MemoryUse } from '../model/context/memoryUse';
import { Recipes } from '../model/context/recipes';
import { RulesFiles } from '../model/context/rulesFiles';
import { GenerationModel } from '../model/generation';
import { PastAnswerSource } from '../model/pastAnswers';
import { repeatRequest } from '../model/repeatRequest';
import { createRowMenu, runCellsAbove } from '../view/commands';
import { ErrorBars } from '../view/errorBars';
import { NotebookAskManager } from '../view/notebookAskManager';
import type { IPromptRowServices } from '../view/row';

export interface IAskServices {
  readonly app: JupyterFrontEnd;
  readonly tracker: INotebookTracker;
  readonly editors: IEditorServices;
  readonly api: ApiClient;
  readonly history: IHistory;
  readonly identity: INotebookIdentity;
  readonly trans: TranslationBundle;
  readonly models: IModels | null;
  readonly tracking: ITracking | null;
  readonly memory: IMemory | null;
  readonly onAnswersChanged: () => void;
  readonly settings: () => ISettingRegistry.ISettings | null;
}

export class AskNotebooks {
  constructor(private readonly _services: IAskServices) {
    const { api, memory, tracker } = _services;
    this._budget = new DailyBudget(api, () => this._setting('dailyBudget', 0));
    this._pastAnswers =
      memory &&
      new PastAnswerSource(api.memory, () =>
        this._setting('offerPastAnswers', false)
      );
    tracker.forEach(panel => this._addErrorBars(panel));
    tracker.widgetAdded.connect((_, panel) => this._addErrorBars(panel));
  }

  managerOf(panel: NotebookPanel): NotebookAskManager {
    let manager = this._managers.get(panel);
    if (!manager) {
      manager = this._createManager(panel);
      this._managers.set(panel, manager);
    }
    return manager;
  }

  isOpen(panel: NotebookPanel): boolean {
    return this._managers.get(panel)?.hasOpenRow ?? false;
  }

  modelOf(panel: NotebookPanel, cellId: string): GenerationModel | null {
    return this._managers.get(panel)?.find(cellId) ?? null;
  }

  repeat(
    panel: NotebookPanel,
    cellId: string,
    request: IRepeatedRequest,
    signal: AbortSignal
  ): Promise<IRepeatedAnswer> {
    const { api, history } = this._services;
    const { rules, memoryUse } = this.managerOf(panel).services;
    const target = this._targetOf(panel, cellId, rules, memoryUse);
    const services = {
      api,
      history,
      target,
      storesPrompts: this._storesPrompts
    };
    return repeatRequest(services, request, signal);
  }

  private _addErrorBars(panel: NotebookPanel): void {
    const { identity, trans } = this._services;
    const targetOf = (cell: Cell) =>
      new NotebookCell(panel, cell.model.id, identity, trans);
    void panel.context.ready.then(() =>
      panel.isDisposed
        ? null
        : new ErrorBars(panel, this.managerOf(panel), targetOf, trans)
    );
  }

  private _setting<T>(name: string, initial: T): T {
    return (this._services.settings()?.get(name).composite ?? initial) as T;
  }

  private readonly _storesPrompts = () => this._setting('storePrompts', false);

  private _targetOf(
    panel: NotebookPanel,
    cellId: string,
    rules: RulesFiles,
    memoryUse: MemoryUse
  ): NotebookCell {
    const { identity, trans, tracking } = this._services;
    return new NotebookCell(panel, cellId, identity, trans, tracking, () => ({
      rulesFiles: rules.used,
      usesMemory: memoryUse.isOn,
      usesNote: this._setting('notebookNotes', 'off') !== 'off',
      condensesTurns: this._setting('condenseTurns', false)
    }));
  }

  private _createManager(panel: NotebookPanel): NotebookAskManager {
    const { app, api, editors, trans, models } = this._services;
    const rules = new RulesFiles(api, () => panel.context.localPath);
    const memoryUse = new MemoryUse(() => panel.context.localPath);
    const onFileChanged = (
      _: unknown,
      { type, newValue }: Contents.IChangedArgs
    ) => {
      if (type === 'save' && newValue?.path) {
        void rules.onSaved(newValue.path);
      }
    };
    const { contents } = app.serviceManager;
    contents.fileChanged.connect(onFileChanged);
    panel.disposed.connect(() => {
      contents.fileChanged.disconnect(onFileChanged);
      Signal.clearData(rules);
    });
    const showTurn: IPromptRowServices['showTurn'] = (
      { cell_id: cellId, turn_id: turnId },
      path
    ) =>
      void app.commands.execute(CommandIDs.showStep, { path, cellId, turnId });
    return new NotebookAskManager({
      panel,
      trans,
      newEditor: editors.factoryService.newInlineEditor,
      createModel: cellId => this._createModel(panel, cellId, rules, memoryUse),
      listDataFrames: () =>
        listDataFrames(
          panel.sessionContext.session?.kernel,
          languageOf(panel),
          trans
        ),
      rules,
      memoryUse,
      recipes: new Recipes(api, () => panel.context.localPath),
      listFiles: async folder => {
        const path = PathExt.join(PathExt.dirname(panel.context.path), folder);
        const { content } = await contents.get(path, { content: true });
        return (content as Contents.IModel[]).map(({ name, type }) =>
          type === 'directory' ? `${name}/` : name
        );
      },
      describeFiles: names => api.dataFiles(panel.context.localPath, names),
      get showTurn() {
        return app.commands.hasCommand(CommandIDs.showStep)
          ? showTurn
          : undefined;
      },
      runCellsAbove: cellId => void runCellsAbove(app, panel, cellId, trans),
      openMenu: (x, y) => openMenu(createRowMenu(app), { x, y }),
      save: () => void panel.context.save().catch(() => undefined),
      openPalette: () => {
        const id = 'apputils:activate-command-palette';
        const hasPalette = app.commands.hasCommand(id);
        if (hasPalette) {
          void app.commands.execute(id);
        }
        return hasPalette;
      },
      models: models ?? undefined,
      budget: this._budget,
      // Without `autoClose`, JupyterLab would only count it in the status bar.
      onUnsaved: text => Notification.warning(text, { autoClose: 8000 }),
      onCellDeleted: model =>
        Notification.info(
          model.state.saveError
            ? trans.__(
                'The cell you asked in was deleted, and the answer could not be saved.'
              )
            : trans.__(
                'The cell you asked in was deleted. The answer is saved in the history.'
              ),
          {
            autoClose: false,
            actions: [
              {
                label: trans.__('Copy answer'),
                callback: () => copyText(model.state.code)
              }
            ]
          }
        )
    });
  }

  private _createModel(
    panel: NotebookPanel,
    cellId: string,
    rules: RulesFiles,
    memoryUse: MemoryUse
  ): GenerationModel {
    const { api, history, memory, models } = this._services;
    const model = new GenerationModel({
      api,
      history,
      target: this._targetOf(panel, cellId, rules, memoryUse),
      storesPrompts: this._storesPrompts,
      memory,
      pastAnswers: this._pastAnswers
    });
    models?.changed.connect(model.refreshModel, model);
    rules.changed.connect(model.onRulesChanged, model);
    let last = '';
    model.changed.connect((_, { phase, code, turnId, isChecking }) => {
      const isShown = phase === 'suggested';
      const shown = isShown ? `${turnId} ${isChecking} ${code}` : '';
      if (shown !== last) {
        last = shown;
        this._services.onAnswersChanged();
      }
    });
    return model;
  }

  private readonly _managers = new WeakMap<NotebookPanel, NotebookAskManager>();
  private readonly _budget: DailyBudget;
  private readonly _pastAnswers: PastAnswerSource | null;
}
