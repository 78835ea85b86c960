/** The React context of the data view: values that all its components can use. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { DataModel } from '../model/dataModel';

export interface IDataContext {
  readonly model: DataModel;
  readonly trans: TranslationBundle;
  readonly locale: string;
}

const Context = React.createContext<IDataContext | null>(null);

export const DataContext = Context.Provider;

/** Return the view's context. Only components inside a `DataContext` can call this. */
export function useData(): IDataContext {
  return React.useContext(Context)!;
}
