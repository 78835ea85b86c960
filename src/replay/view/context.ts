/** The context of the sidebar's components: translations, locale, current time, languages. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { nullTranslator, TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

export interface IReplayContext {
  readonly trans: TranslationBundle;
  readonly locale: string | undefined;
  /** The time of the last tick; it changes rarely, so that rows are not drawn again. */
  readonly now: Date;
  readonly languages: IEditorLanguageRegistry | null;
}

const Context = React.createContext<IReplayContext>({
  trans: nullTranslator.load('aiserver'),
  locale: undefined,
  now: new Date(0),
  languages: null
});

export const ReplayContext = Context.Provider;

export function useReplay(): IReplayContext {
  return React.useContext(Context);
}
