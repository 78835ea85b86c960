/**
 * Provides `IModels`, with which a person chooses models and connects providers. Adds the commands
 * for models, and shows the settings of the models in JupyterLab's settings editor.
 */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { Signal } from '@lumino/signaling';
import * as React from 'react';

import { ApiClient } from '../api/client';
import type { ModelInfo } from '../api/types';
import { IFailure, toFailure } from '../state/failure';
import { ModelChoice } from './model/modelChoice';
import {
  CommandIDs,
  IModelPickOptions,
  IModels,
  IOtherModelOptions
} from '../tokens';
import { failureText } from '../labels/failureText';
import { lazyView, loadPart } from '../ui/lazy';
import { openMenu } from '../ui/focus';
import type { IModelServices } from './view/parts';

const PLUGIN_ID = 'aiserver:models';

const Offer = lazyView(async () => (await import('./view/offer')).Offer);
const ModelSettings = lazyView(
  async () => (await import('./view/settings')).ModelSettings
);

export const modelsPlugin: JupyterFrontEndPlugin<IModels> = {
  id: PLUGIN_ID,
  description: 'Chooses, connects and installs models.',
  autoStart: true,
  provides: IModels,
  optional: [ITranslator, IFormRendererRegistry, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    translator: ITranslator | null,
    forms: IFormRendererRegistry | null,
    palette: ICommandPalette | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    const api = new ApiClient(app.serviceManager.serverSettings);
    const models = new Models(app, new ModelChoice(api), trans);
    const { commands } = app;
    commands.addCommand(CommandIDs.connect, {
      label: trans.__('Connect a Model Provider…'),
      caption: trans.__('Use a model from a provider'),
      describedBy: {
        args: { type: 'object', properties: { provider: { type: 'string' } } }
      },
      execute: async ({ provider }) => {
        await models.connect(provider as string | undefined);
      }
    });
    commands.addCommand(CommandIDs.localModels, {
      label: trans.__('Install a Local Model…'),
      caption: trans.__('Install and remove models on the server’s machine'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => models.openLocalModels()
    });
    commands.addCommand(CommandIDs.modelSettings, {
      label: args =>
        args.isPalette ? trans.__('Models…') : trans.__('AI Server Models…'),
      caption: trans.__('Choose a model and connect providers'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => models.openSettings()
    });
    const category = trans.__('AI Server');
    palette?.addItem({ command: CommandIDs.connect, category });
    palette?.addItem({ command: CommandIDs.localModels, category });
    palette?.addItem({
      command: CommandIDs.modelSettings,
      category,
      args: { isPalette: true }
    });
    // The settings editor shows this view in place of the (empty) setting `models`.
    forms?.addRenderer(`${PLUGIN_ID}.models`, {
      fieldRenderer: () => models.renderSettings()
    });
    return models;
  }
};

/** The implementation of `IModels`. */
class Models implements IModels {
  constructor(
    private readonly _app: JupyterFrontEnd,
    private readonly _choice: ModelChoice,
    private readonly _trans: TranslationBundle
  ) {
    this._services = {
      choice: _choice,
      trans: _trans,
      connect: () => void this.connect(),
      openLocalModels: () => this.openLocalModels()
    };
    _choice.changed.connect((_, change) => {
      if (change === 'list') {
        this.changed.emit();
      }
    });
  }

  readonly changed = new Signal<this, void>(this);

  renderOffer(options: {
    focusInput: () => void;
    attempts: number;
  }): React.JSX.Element {
    const props = { services: this._services, ...options };
    return <Offer props={props} trans={this._trans} />;
  }

  renderSettings(): React.JSX.Element {
    const props = { services: this._services };
    return <ModelSettings props={props} trans={this._trans} />;
  }

  async connect(provider?: string): Promise<boolean> {
    const { connectProvider } = await this._loadDialogs();
    return connectProvider(this._services, provider);
  }

  /** Open the dialog in which local models are installed and removed. */
  async openLocalModels(): Promise<void> {
    const { showLocalModels } = await this._loadDialogs();
    return showLocalModels(this._services);
  }

  /**
   * Open the settings of the models in the settings editor. If the application has no settings
   * editor, open them in a dialog.
   */
  async openSettings(): Promise<void> {
    const { commands } = this._app;
    if (commands.hasCommand('settingeditor:open')) {
      await commands.execute('settingeditor:open', {
        query: this._trans.__('AI Server: Models')
      });
    } else {
      const { showModelSettings } = await this._loadDialogs();
      await showModelSettings(this._services);
    }
  }

  async pick(options: IModelPickOptions): Promise<void> {
    const previousFocus = document.activeElement;
    const [{ createModelMenu }] = await Promise.all([
      this._loadMenus(),
      this._refresh()
    ]);
    const menu = createModelMenu({
      choice: this._choice,
      trans: this._trans,
      cellModel: options.cellModel,
      choose: model =>
        void this._runIfConfirmed(model, async () => {
          options.chooseForCell(null);
          await this._choice.choose(model.id);
        }),
      chooseForCell: model =>
        model
          ? void this._runIfConfirmed(model, async () =>
              options.chooseForCell(model.id)
            )
          : options.chooseForCell(null),
      askAnother:
        options.askAnother &&
        (model =>
          void this._runIfConfirmed(model, async () =>
            options.askAnother?.(model.id)
          )),
      connect: () => void this.connect(),
      openLocalModels: () => void this.openLocalModels(),
      openSettings: () => void this.openSettings()
    });
    openMenu(menu, options, previousFocus);
  }

  async pickOther(options: IOtherModelOptions): Promise<void> {
    const previousFocus = document.activeElement;
    const [{ createOtherModelMenu }] = await Promise.all([
      this._loadMenus(),
      this._refresh()
    ]);
    const menu = createOtherModelMenu({
      choice: this._choice,
      trans: this._trans,
      chosen: options.chosen,
      choose: model =>
        void this._runIfConfirmed(model, async () => options.choose(model)),
      connect: () => void this.connect()
    });
    openMenu(menu, options, previousFocus);
  }

  /** Fetch the list of models. Show a failure as a notification. */
  private async _refresh(): Promise<void> {
    await this._choice.refresh();
    if (this._choice.problem !== null) {
      this._showError(this._choice.problem);
    }
  }

  /** Run `action` if the person confirms the model. Show a failure as a notification. */
  private async _runIfConfirmed(
    model: ModelInfo,
    action: () => Promise<void>
  ): Promise<void> {
    const load = () => import('./view/confirmModel');
    const { confirmModel } = await loadPart(load, this._trans);
    try {
      if (await confirmModel(model, this._choice, this._trans)) {
        await action();
      }
    } catch (reason) {
      this._showError(toFailure(reason));
    }
  }

  private _showError(failure: IFailure): void {
    Notification.error(failureText(failure, this._trans), { autoClose: 5000 });
  }

  private _loadDialogs() {
    return loadPart(() => import('./view/dialogs'), this._trans);
  }

  private _loadMenus() {
    return loadPart(() => import('./view/menu'), this._trans);
  }

  private readonly _services: IModelServices;
}
