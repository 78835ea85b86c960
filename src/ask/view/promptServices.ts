/** The services that a prompt row uses. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { DataFile, DataFrameProfile, PastAnswer } from '../../api/types';
import type { IModels } from '../../tokens';
import type { DailyBudget } from '../../state/dailyBudget';
import type { MemoryUse } from '../model/context/memoryUse';
import type { Recipes } from '../model/context/recipes';
import type { RulesFiles } from '../model/context/rulesFiles';
import type { ListFiles } from './input/folderListing';

export interface IPromptRowServices {
  trans: TranslationBundle;
  listDataFrames: () => Promise<DataFrameProfile[]>;
  listFiles: ListFiles;
  /** Describe data files; their names are relative to the notebook's folder. */
  describeFiles: (names: string[]) => Promise<readonly DataFile[]>;
  rules: RulesFiles;
  memoryUse: MemoryUse;
  recipes: Recipes;
  /** Open another notebook and show a turn of it; undefined without the replay. */
  showTurn?: (turn: PastAnswer, path: string) => void;
  /** Open the row's menu at a position in the window. */
  openMenu: (x: number, y: number) => void;
  /**
   * Save the notebook. The row disables JupyterLab's shortcut for saving, so it handles the key
   * itself.
   */
  save: () => void;
  /**
   * Open the command palette. Return false if the application has no palette. The row disables
   * JupyterLab's shortcut for the palette, so it handles the key itself.
   */
  openPalette: () => boolean;
  /** Run the cells above the one with this id. */
  runCellsAbove: (cellId: string) => void;
  budget?: DailyBudget;
  /** Undefined if the plugin that provides `IModels` is disabled. */
  models?: IModels;
}
