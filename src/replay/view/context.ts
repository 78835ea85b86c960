/** The React context of the sidebar: values that all its components can use. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { IAgents, IMemory } from '../../tokens';
import type { NotebookRestore } from '../model/notebook/notebookRestore';
import type { ReplayModel } from '../model/replay';

export interface IReplayContext {
  /**
   * A memoized component may call the model's methods, but gets the values that it draws as props.
   */
  readonly model: ReplayModel;
  readonly commands: CommandRegistry;
  readonly languages: IEditorLanguageRegistry;
  readonly trans: TranslationBundle;
  readonly locale: string;
  readonly memory?: IMemory;
  readonly agents?: IAgents;
  readonly restore?: NotebookRestore;
  /** Updated only every half minute, because each update renders all times. */
  readonly now: Date;
}

const Context = React.createContext<IReplayContext | null>(null);

export const ReplayContext = Context.Provider;

export function useReplay(): IReplayContext {
  return React.useContext(Context)!;
}
