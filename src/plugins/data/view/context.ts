/** The values that all components of the data view can use. */
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

/** Only for components inside a `DataContext`. */
export function useData(): IDataContext {
  return React.useContext(Context)!;
}
