/**
 * The menu that opens from the model's name in a prompt row. It shows the ready models in two
 * groups, local and remote, and commands to set up more models. It is a Lumino menu, because
 * Lumino's menus support keyboards and screen readers.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { MenuSvg } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import type { ModelInfo } from '../../api/types';
import type { ModelChoice } from '../model/modelChoice';
import { labelText } from '../../labels/serverText';
import { installText, readyModels } from './labels';

export interface IModelMenuOptions {
  choice: ModelChoice;
  trans: TranslationBundle;
  /** The id of the model that was chosen for the cell; null if the cell uses the default model. */
  cellModel: string | null;
  /** Choose the default model; the person must confirm a remote model first. */
  choose: (model: ModelInfo) => void;
  /** Choose the model for this cell only; null means that the cell uses the default model. */
  chooseForCell: (model: ModelInfo | null) => void;
  connect: () => void;
  settings: () => void;
}

export function createModelMenu(options: IModelMenuOptions): Menu {
  const { choice, trans, cellModel } = options;
  const commands = new CommandRegistry();
  const menu = new MenuSvg({ commands });
  const cellMenu = new MenuSvg({ commands });
  let commandCount = 0;

  /** Add a command to a menu; without `execute` it is a heading. */
  const add = (
    parent: Menu,
    label: string,
    execute?: () => void,
    toggled?: boolean
  ) => {
    const command = `model-${commandCount++}`;
    commands.addCommand(command, {
      label,
      isEnabled: () => execute !== undefined,
      isToggleable: toggled !== undefined,
      isToggled: () => toggled ?? false,
      className: execute ? '' : 'jp-AIServer-Models-heading',
      execute: () => execute?.()
    });
    parent.addItem({ command });
  };
  const addSeparator = (parent: Menu) => parent.addItem({ type: 'separator' });

  const groups = readyModels(choice.list, trans);
  const addModels = (
    parent: Menu,
    checkedId: string | null,
    use: (model: ModelInfo) => void
  ) => {
    for (const { title, models } of groups) {
      add(parent, title);
      for (const model of models) {
        add(
          parent,
          labelText(model.label, trans),
          () => use(model),
          model.id === checkedId
        );
      }
      addSeparator(parent);
    }
  };

  const defaultModel = choice.list?.default ?? null;
  addModels(menu, cellModel === null ? defaultModel : null, options.choose);
  if (groups.flatMap(({ models }) => models).length > 1 || cellModel !== null) {
    addModels(cellMenu, cellModel, options.chooseForCell);
    add(
      cellMenu,
      trans.__('Use default model'),
      () => options.chooseForCell(null),
      cellModel === null
    );
    cellMenu.title.label = trans.__('In this cell only');
    menu.addItem({ type: 'submenu', submenu: cellMenu });
    addSeparator(menu);
  }
  const local = choice.list?.local;
  if (local && local.package && !local.installed && !choice.install.isRunning) {
    add(menu, installText(local, trans), () => {
      options.settings(); // The settings show the progress of the installation.
      void choice.install.start();
    });
  }
  add(menu, trans.__('Connect a provider…'), options.connect);
  add(menu, trans.__('Model settings…'), options.settings);
  return menu;
}
