/** The React context with what all components of the sidebar share. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { ReplayModel } from '../model/replay';

export interface IReplayContext {
  /**
   * The sidebar's model. Memoized components only call its methods: they must get what they draw
   * as properties, because a change of the model doesn't render them again.
   */
  readonly model: ReplayModel;
  readonly commands: CommandRegistry;
  readonly languages: IEditorLanguageRegistry;
  readonly trans: TranslationBundle;
  readonly locale: string;
  /** The current time, updated only every half minute, as each update renders all rows again. */
  readonly now: Date;
}

const Context = React.createContext<IReplayContext | null>(null);

export const ReplayContext = Context.Provider;

export function useReplay(): IReplayContext {
  return React.useContext(Context)!;
}
