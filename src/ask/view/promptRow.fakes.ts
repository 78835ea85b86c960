/** A prompt row in the DOM whose model sends nothing. */
import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import type { DataFile, ModelInfo, Recipe } from '../../api/types';
import { Recipes } from '../model/context/recipes';
import { MemoryUse } from '../model/context/memoryUse';
import { RulesFiles } from '../model/context/rulesFiles';
import { GenerationModel } from '../model/generation';
import { setup as fakes } from '../model/generation.fakes';
import type { PastAnswerSource } from '../model/pastAnswers';
import type { IGenerationState } from '../model/state';
import type { ITarget } from '../../cells/notebookCell';
import type { IProblem, IWarning } from '../../kernel/check';
import type { IJoinKey } from '../../kernel/joinKeys';
import type { IKernelVariables } from '../../kernel/variables';
import type { IMemory, IModels } from '../../tokens';
import { PromptRow } from './promptRow';
import type { IPromptRowServices } from './row';

export const LOCAL: ModelInfo = {
  id: 'local:qwen',
  provider: 'local',
  label: 'Qwen2.5-Coder',
  onThisMachine: true,
  ready: true
};

/** The services of a row in a folder without files. */
export function fakeServices(recipes: Recipe[] = []) {
  const path = () => 'a.ipynb';
  return {
    trans: nullTranslator.load('aiserver'),
    recipes: new Recipes({ recipes: async () => recipes }, path),
    rules: new RulesFiles({ rulesFiles: async () => [] }, path),
    memoryUse: new MemoryUse(path),
    listFiles: async (_folder: string): Promise<readonly string[]> => [],
    describeFiles: async (_names: string[]): Promise<readonly DataFile[]> => [],
    openMenu: jest.fn(),
    runCellsAbove: jest.fn(),
    save: jest.fn(),
    openPalette: jest.fn(() => true)
  };
}

export async function setup(
  options: {
    source?: string;
    codeAbove?: string;
    models?: ModelInfo[];
    readOnly?: boolean;
    error?: string;
    problems?: Promise<IProblem[] | null>;
    warnings?: IWarning[];
    modelServices?: IModels;
    notices?: string[];
    kernel?: IKernelVariables;
    joinKeys?: IJoinKey[];
    dataValues?: ITarget['dataValues'];
    recipes?: Recipe[];
    listFiles?: IPromptRowServices['listFiles'];
    describeFiles?: IPromptRowServices['describeFiles'];
    memory?: IMemory;
    pastAnswers?: PastAnswerSource;
    showTurn?: IPromptRowServices['showTurn'];
    apply?: ITarget['apply'];
  } = {}
) {
  const models = options.models ?? [LOCAL];
  const ask = jest.spyOn(GenerationModel.prototype, 'ask');
  ask.mockImplementation(async () => undefined);
  const { source = '', memory, pastAnswers } = options;
  const { history, model, target } = fakes({ source, memory, pastAnswers });
  const list = { default: models[0]?.id, models, notices: options.notices };
  Object.assign(history.api, { models: async () => list });
  Object.assign(target, {
    isReadOnly: options.readOnly ?? false,
    key: () => null,
    codeAbove: () => options.codeAbove ?? '',
    check: async () => options.problems ?? null,
    checkSuggestion: async () => {
      const problems = await options.problems;
      const { warnings } = options;
      return problems || warnings
        ? { problems: problems ?? [], warnings: warnings ?? [], signals: [] }
        : null;
    },
    variables: async () => options.kernel ?? null,
    joinKeys: async () => options.joinKeys ?? [],
    dataValues: options.dataValues ?? (async () => null),
    error: () => options.error ?? null,
    apply: options.apply ?? (() => true)
  });
  const { listFiles, describeFiles } = options;
  const services = {
    ...fakeServices(options.recipes),
    ...(listFiles && { listFiles }),
    ...(describeFiles && { describeFiles }),
    listDataFrames: async () => [
      {
        name: 'df',
        kind: 'pandas.DataFrame',
        rowCount: 3,
        columnCount: 2,
        columns: []
      }
    ],
    showTurn: options.showTurn,
    models: options.modelServices
  };
  await services.recipes.load();
  const row = new PromptRow(model, services);
  await act(async () => {
    model.open();
    row.focus();
    Widget.attach(row, document.body);
    MessageLoop.flush();
  });
  const settle = () =>
    act(async () => {
      MessageLoop.flush();
    });
  await settle();
  const field = row.node.querySelector('textarea') as HTMLTextAreaElement;
  const type = async (text: string) => {
    const setter = Object.getOwnPropertyDescriptor(
      HTMLTextAreaElement.prototype,
      'value'
    )?.set;
    await act(async () => {
      setter?.call(field, text);
      field.dispatchEvent(new Event('input', { bubbles: true }));
      MessageLoop.flush();
    });
  };
  const press = async (key: string, init: KeyboardEventInit = {}) => {
    const event = new KeyboardEvent('keydown', {
      key,
      bubbles: true,
      cancelable: true,
      ...init
    });
    await act(async () => {
      field.dispatchEvent(event);
      MessageLoop.flush();
    });
    return event;
  };
  return { ask, field, model, press, row, services, settle, type };
}

/** Change the state without notifying the row. */
export function setState(
  model: GenerationModel,
  change: Partial<IGenerationState>
): void {
  Object.assign(model, { _state: { ...model.state, ...change } });
}

export function suggest(model: GenerationModel): void {
  const open = { turnId: 2, intent: 'asked', source: 'y', explanation: '' };
  model.addAnswer({ ...open, saveError: null }, null);
  setState(model, {
    phase: 'suggested',
    intent: 'asked',
    code: 'y',
    explanation: '<img src=x onerror=alert(1)> why',
    turnId: 2
  });
}

export const button = (row: PromptRow, name: string) =>
  [...row.node.querySelectorAll('button')].find(node =>
    node.textContent?.startsWith(name)
  );
