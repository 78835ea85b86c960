/**
 * The menu of the model's name in a prompt row: the models that are ready, local and remote, and
 * commands to set up more.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { MenuSvg } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Menu } from '@lumino/widgets';

import type { ModelInfo } from '../../api/types';
import type { ModelChoice } from '../model/modelChoice';
import { forbiddenText } from '../../labels/failureText';
import { labelText } from '../../labels/serverText';
import { isForbidden } from '../../state/features';
import { groupReadyModels } from './labels';

export interface IOtherModelMenuOptions {
  choice: ModelChoice;
  trans: TranslationBundle;
  chosen: string | null;
  choose: (model: ModelInfo) => void;
  connect: () => void;
}

export interface IModelMenuOptions extends Omit<
  IOtherModelMenuOptions,
  'chosen'
> {
  cellModel: string | null;
  chooseForCell: (model: ModelInfo | null) => void;
  askAnother?: (model: ModelInfo) => void;
  openLocalModels: () => void;
  openSettings: () => void;
}

/** A choice in this menu of ready models changes no default. */
export function createOtherModelMenu(options: IOtherModelMenuOptions): Menu {
  const { choice, trans, chosen, choose, connect } = options;
  const { menu, addEntry, addModels } = createMenus(choice, trans);
  addModels(menu, chosen, choose);
  addEntry(menu, trans.__('Connect a provider…'), connect);
  return menu;
}

function createMenus(choice: ModelChoice, trans: TranslationBundle) {
  const commands = new CommandRegistry();
  const newMenu = () => new MenuSvg({ commands });
  let commandCount = 0;

  /** Without `execute`, the entry is a heading. */
  const addEntry = (
    parent: Menu,
    label: string,
    execute?: () => void,
    isToggled?: boolean
  ) => {
    const command = `model-${commandCount++}`;
    commands.addCommand(command, {
      label,
      isEnabled: () => execute !== undefined,
      isToggleable: isToggled !== undefined,
      isToggled: () => isToggled ?? false,
      className: execute ? '' : 'jp-AIServer-Models-heading',
      execute: () => execute?.()
    });
    parent.addItem({ command });
  };
  const addSeparator = (parent: Menu) => parent.addItem({ type: 'separator' });

  const groups = groupReadyModels(choice.list, trans);
  const addModels = (
    parent: Menu,
    checkedId: string | null,
    onChoose: (model: ModelInfo) => void
  ) => {
    for (const { title, models } of groups) {
      addEntry(parent, title);
      for (const model of models) {
        addEntry(
          parent,
          labelText(model.label, trans),
          () => onChoose(model),
          model.id === checkedId
        );
      }
      addSeparator(parent);
    }
  };
  return {
    menu: newMenu(),
    newMenu,
    addEntry,
    addSeparator,
    addModels,
    groups
  };
}

export function createModelMenu(options: IModelMenuOptions): Menu {
  const { choice, trans, cellModel } = options;
  const { menu, newMenu, addEntry, addSeparator, addModels, groups } =
    createMenus(choice, trans);
  const cellMenu = newMenu();
  const otherMenu = newMenu();

  if (options.askAnother) {
    addModels(otherMenu, null, options.askAnother);
    otherMenu.title.label = trans.__('Ask another model, too');
    menu.addItem({ type: 'submenu', submenu: otherMenu });
    addSeparator(menu);
  }
  const defaultModel = choice.list?.default ?? null;
  addModels(menu, cellModel === null ? defaultModel : null, options.choose);
  if (groups.flatMap(({ models }) => models).length > 1 || cellModel !== null) {
    addModels(cellMenu, cellModel, options.chooseForCell);
    addEntry(
      cellMenu,
      trans.__('Use default model'),
      () => options.chooseForCell(null),
      cellModel === null
    );
    cellMenu.title.label = trans.__('In this cell only');
    menu.addItem({ type: 'submenu', submenu: cellMenu });
    addSeparator(menu);
  }
  if (choice.localModels.length) {
    const target = choice.install.isRunning ? choice.installTarget : null;
    const label = target
      ? trans.__('Installing %1…', target.label)
      : trans.__('Install a model…');
    addEntry(menu, label, options.openLocalModels);
  }
  if (isForbidden('remote_models')) {
    addEntry(menu, forbiddenText('remote_models', trans));
  }
  addEntry(menu, trans.__('Connect a provider…'), options.connect);
  addEntry(menu, trans.__('Model settings…'), options.openSettings);
  return menu;
}
