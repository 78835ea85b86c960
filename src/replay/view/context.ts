/** The React context of the sidebar: values that all its components can use. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { IMemory } from '../../tokens';
import type { ReplayModel } from '../model/replay';

export interface IReplayContext {
  /**
   * The sidebar's model. A memoized component may call the model's methods. But it must get the
   * values that it draws as props, because it isn't rendered again when the model changes.
   */
  readonly model: ReplayModel;
  readonly commands: CommandRegistry;
  readonly languages: IEditorLanguageRegistry;
  readonly trans: TranslationBundle;
  readonly locale: string;
  /** Undefined if memories are forbidden or their plugin is disabled. */
  readonly memory?: IMemory;
  /**
   * The current time. It is updated only every half minute, because each update renders all
   * components that show a time.
   */
  readonly now: Date;
}

const Context = React.createContext<IReplayContext | null>(null);

export const ReplayContext = Context.Provider;

/** Return the sidebar's context. Only components inside a `ReplayContext` can call this. */
export function useReplay(): IReplayContext {
  return React.useContext(Context)!;
}
