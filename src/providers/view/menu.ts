/**
 * The menu of the model's name: the ready models in two groups, and commands to set up others. A
 * Lumino menu, for its keyboard and screen reader support.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { MenuSvg } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import type { ModelInfo } from '../../api/types';
import type { ModelChoice } from '../model/modelChoice';
import type { IModelPickOptions } from '../../tokens';
import { labelText } from '../../labels/serverText';
import { installText, readyModels } from './labels';

export interface IModelMenuOptions {
  choice: ModelChoice;
  trans: TranslationBundle;
  pick: IModelPickOptions;
  /** Choose the default model; a remote one must be confirmed first. */
  choose: (model: ModelInfo) => void;
  /** Choose the model for this cell only. */
  chooseForCell: (model: ModelInfo | null) => void;
  connect: () => void;
  settings: () => void;
}

export function createModelMenu(options: IModelMenuOptions): Menu {
  const { choice, trans, pick } = options;
  const commands = new CommandRegistry();
  const menu = new MenuSvg({ commands });
  const cellMenu = new MenuSvg({ commands });
  let count = 0;

  const add = (
    to: Menu,
    label: string,
    execute?: () => void,
    toggled?: boolean
  ) => {
    const command = `model-${count++}`;
    commands.addCommand(command, {
      label,
      isEnabled: () => execute !== undefined,
      isToggleable: toggled !== undefined,
      isToggled: () => toggled ?? false,
      className: execute ? '' : 'jp-AIServer-Models-heading',
      execute: () => execute?.()
    });
    to.addItem({ command });
  };
  const addSeparator = (to: Menu) => to.addItem({ type: 'separator' });

  const groups = readyModels(choice.list, trans);
  const addModels = (
    to: Menu,
    current: string | null,
    use: (model: ModelInfo) => void
  ) => {
    for (const { title, models } of groups) {
      add(to, title);
      for (const model of models) {
        add(
          to,
          labelText(model.label, trans),
          () => use(model),
          model.id === current
        );
      }
      addSeparator(to);
    }
  };

  const defaultModel = choice.list?.default ?? null;
  addModels(
    menu,
    pick.cellModel === null ? defaultModel : null,
    options.choose
  );
  if (
    groups.flatMap(({ models }) => models).length > 1 ||
    pick.cellModel !== null
  ) {
    addModels(cellMenu, pick.cellModel, options.chooseForCell);
    add(
      cellMenu,
      trans.__('Use default model'),
      () => options.chooseForCell(null),
      pick.cellModel === null
    );
    cellMenu.title.label = trans.__('In this cell only');
    menu.addItem({ type: 'submenu', submenu: cellMenu });
    addSeparator(menu);
  }
  const local = choice.list?.local;
  if (local && local.package && !local.installed && !choice.install.isRunning) {
    add(menu, installText(local, trans), () => {
      options.settings(); // The settings show its progress.
      void choice.install.start();
    });
  }
  add(menu, trans.__('Connect a provider…'), options.connect);
  add(menu, trans.__('Model settings…'), options.settings);
  return menu;
}
