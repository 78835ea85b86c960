/**
 * Provides `IModels`, the commands for models, and their settings in JupyterLab's settings editor.
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
import type { Menu } from '@lumino/widgets';
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

  async openLocalModels(): Promise<void> {
    const { showLocalModels } = await this._loadDialogs();
    return showLocalModels(this._services);
  }

  /** Open the settings editor or, without one, a dialog. */
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
    const { cellModel, askAnother } = options;
    const chooseForCell = this._ifConfirmed(({ id }) =>
      options.chooseForCell(id)
    );
    await this._openMenu(options, ({ createModelMenu }) =>
      createModelMenu({
        ...this._services,
        cellModel,
        choose: this._ifConfirmed(({ id }) => {
          options.chooseForCell(null);
          return this._choice.choose(id);
        }),
        chooseForCell: model =>
          model ? chooseForCell(model) : options.chooseForCell(null),
        askAnother: askAnother && this._ifConfirmed(({ id }) => askAnother(id)),
        openSettings: () => void this.openSettings()
      })
    );
  }

  async pickOther(options: IOtherModelOptions): Promise<void> {
    const { chosen } = options;
    const choose = this._ifConfirmed(options.choose);
    await this._openMenu(options, ({ createOtherModelMenu }) =>
      createOtherModelMenu({ ...this._services, chosen, choose })
    );
  }

  /** Fetch the models, and open a menu. Show a failure as a notification. */
  private async _openMenu(
    position: { x: number; y: number },
    create: (menus: typeof import('./view/menu')) => Menu
  ): Promise<void> {
    const previousFocus = document.activeElement;
    const [menus] = await Promise.all([
      loadPart(() => import('./view/menu'), this._trans),
      this._choice.refresh()
    ]);
    if (this._choice.problem !== null) {
      this._showError(this._choice.problem);
    }
    openMenu(create(menus), position, previousFocus);
  }

  private _ifConfirmed(action: (model: ModelInfo) => void | Promise<void>) {
    return async (model: ModelInfo): Promise<void> => {
      const load = () => import('./view/confirmModel');
      const { confirmModel } = await loadPart(load, this._trans);
      try {
        if (await confirmModel(model, this._choice, this._trans)) {
          await action(model);
        }
      } catch (reason) {
        this._showError(toFailure(reason));
      }
    };
  }

  private _showError(failure: IFailure): void {
    Notification.error(failureText(failure, this._trans), { autoClose: 5000 });
  }

  private _loadDialogs() {
    return loadPart(() => import('./view/dialogs'), this._trans);
  }

  private readonly _services: IModelServices;
}
