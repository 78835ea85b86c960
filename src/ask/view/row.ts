/** The data that the parts of a prompt row share. */
import type { TranslationBundle } from '@jupyterlab/translation';
import type * as React from 'react';

import type { DataFile, DataFrameProfile, PastAnswer } from '../../api/types';
import type { DailyBudget } from '../../state/dailyBudget';
import type { IModels } from '../../tokens';
import type { MemoryUse } from '../model/context/memoryUse';
import type { Recipes } from '../model/context/recipes';
import type { RulesFiles } from '../model/context/rulesFiles';
import type { GenerationModel } from '../model/generation';

export interface IPromptRowServices {
  trans: TranslationBundle;
  listDataFrames: () => Promise<DataFrameProfile[]>;
  /** Return the names in a folder below the notebook's; those of folders end with a slash. */
  listFiles: (folder: string) => Promise<readonly string[]>;
  /** The names are relative to the notebook's folder. */
  describeFiles: (names: string[]) => Promise<readonly DataFile[]>;
  rules: RulesFiles;
  memoryUse: MemoryUse;
  recipes: Recipes;
  /** Show a turn of another notebook; undefined without the replay. */
  showTurn?: (turn: PastAnswer, path: string) => void;
  openMenu: (x: number, y: number) => void;
  /** The row disables JupyterLab's shortcut, so it handles the key itself. */
  save: () => void;
  /** Like `save`. Return false if the application has no palette. */
  openPalette: () => boolean;
  runCellsAbove: (cellId: string) => void;
  budget?: DailyBudget;
  /** Undefined if the plugin that provides `IModels` is disabled. */
  models?: IModels;
}

export interface IRow {
  readonly model: GenerationModel;
  readonly services: IPromptRowServices;
  readonly trans: TranslationBundle;
  readonly text: string;
  readonly setText: React.Dispatch<React.SetStateAction<string>>;
  readonly focus: () => void;
  /** Return whether a model is ready, after looking for one if necessary. */
  readonly canAsk: () => Promise<boolean>;
  readonly listFiles: (folder: string) => readonly string[];
}
