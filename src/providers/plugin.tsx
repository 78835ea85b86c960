/** Choosing, connecting and installing models: provides `IModels`. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Clipboard, ICommandPalette, Notification } from '@jupyterlab/apputils';
import {
  ITranslator,
  TranslationBundle,
  nullTranslator
} from '@jupyterlab/translation';
import { IFormRendererRegistry } from '@jupyterlab/ui-components';
import { ISignal, Signal } from '@lumino/signaling';
import * as React from 'react';

import { ApiClient } from '../api/client';
import type { ModelInfo } from '../api/types';
import { IFailure, toFailure } from '../state/failure';
import { ModelChoice } from './model/modelChoice';
import { CommandIDs, IModelPickOptions, IModels } from '../tokens';
import { failureText } from '../labels/failureText';
import { agreeTo, connectProvider, showModelSettings } from './view/dialogs';
import { modelMenu } from './view/menu';
import { Offer } from './view/offer';
import type { IModelServices } from './view/parts';
import { ModelSettings } from './view/settings';

const PLUGIN_ID = 'aiserver:models';

export const modelsPlugin: JupyterFrontEndPlugin<IModels> = {
  id: PLUGIN_ID,
  description: 'Choosing, connecting and installing models.',
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
    commands.addCommand(CommandIDs.modelSettings, {
      label: args =>
        args.isPalette ? trans.__('Models…') : trans.__('AI Server Models…'),
      caption: trans.__('Choose a model and connect providers'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => models.settings()
    });
    const category = trans.__('AI Server');
    palette?.addItem({ command: CommandIDs.connect, category });
    palette?.addItem({
      command: CommandIDs.modelSettings,
      category,
      args: { isPalette: true }
    });
    forms?.addRenderer(`${PLUGIN_ID}.models`, {
      fieldRenderer: () => models.settingsView()
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
      copy: text => Clipboard.copyToSystem(text),
      connect: () => void this.connect()
    };
    _choice.changed.connect((_, what) => {
      if (what === 'list') {
        this._changed.emit();
      }
    });
  }

  get changed(): ISignal<IModels, void> {
    return this._changed;
  }

  pick(pick: IModelPickOptions): void {
    void this._pick(pick);
  }

  renderOffer(options: {
    focusInput: () => void;
    attempts: number;
  }): React.JSX.Element {
    return <Offer services={this._services} {...options} />;
  }

  settingsView(): React.JSX.Element {
    return (
      <ModelSettings
        services={this._services}
        agree={model => this._agree(model)}
      />
    );
  }

  connect(provider?: string): Promise<boolean> {
    return connectProvider(this._services, provider);
  }

  /** In the settings editor; in a dialog where there is none. */
  async settings(): Promise<void> {
    const { commands } = this._app;
    if (commands.hasCommand('settingeditor:open')) {
      await commands.execute('settingeditor:open', {
        query: this._trans.__('AI Server: Models')
      });
    } else {
      await showModelSettings(this._services);
    }
  }

  private async _pick(pick: IModelPickOptions): Promise<void> {
    const before = document.activeElement;
    await this._choice.refresh();
    if (this._choice.problem !== null) {
      this._tell(this._choice.problem);
    }
    const menu = modelMenu({
      choice: this._choice,
      trans: this._trans,
      pick,
      choose: model =>
        void this._agreed(model, async () => {
          pick.chooseForCell(null);
          await this._choice.choose(model.id);
        }),
      chooseForCell: model =>
        model
          ? void this._agreed(model, async () => pick.chooseForCell(model.id))
          : pick.chooseForCell(null),
      connect: () => void this.connect(),
      settings: () => void this.settings()
    });
    menu.aboutToClose.connect(() => {
      requestAnimationFrame(() => {
        // Its command may still be under way; a dialog keeps the focus that it took.
        const { activeElement } = document;
        if (
          before instanceof HTMLElement &&
          (!activeElement || activeElement === document.body)
        ) {
          before.focus();
        }
        menu.dispose();
      });
    });
    menu.open(pick.x, pick.y);
  }

  private async _agreed(
    model: ModelInfo,
    then: () => Promise<void>
  ): Promise<void> {
    try {
      if (await this._agree(model)) {
        await then();
      }
    } catch (reason) {
      this._tell(toFailure(reason));
    }
  }

  private _tell(failure: IFailure): void {
    Notification.error(failureText(failure, this._trans), { autoClose: 5000 });
  }

  private _agree(model: ModelInfo): Promise<boolean> {
    return agreeTo(model, this._choice, this._trans);
  }

  private readonly _services: IModelServices;
  private readonly _changed = new Signal<IModels, void>(this);
}
