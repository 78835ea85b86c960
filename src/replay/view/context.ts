/** The context of the sidebar's components. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { CommandRegistry } from '@lumino/commands';
import React from 'react';

import type { ReplayModel } from '../model/replay';

export interface IReplayContext {
  /** The model. Memoized components only call it; what they draw is in their properties. */
  readonly model: ReplayModel;
  readonly commands: CommandRegistry;
  readonly languages: IEditorLanguageRegistry;
  readonly trans: TranslationBundle;
  readonly locale: string;
  /** The time of the last tick; it changes rarely, so that rows are not drawn again. */
  readonly now: Date;
}

const Context = React.createContext<IReplayContext | null>(null);

export const ReplayContext = Context.Provider;

export function useReplay(): IReplayContext {
  return React.useContext(Context)!;
}
