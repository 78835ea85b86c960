/** The values that all components of the memory view can use. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { MemoryEntry } from '../../../api/types';
import type { MemoryModel } from '../model/memoryModel';

export type Source = NonNullable<MemoryEntry['source']>;

export interface IMemoryContext {
  readonly model: MemoryModel;
  readonly trans: TranslationBundle;
  readonly locale: string;
  /** Show the turn from which a text comes; null if there is no replay. */
  readonly showSource: ((source: Source) => void) | null;
}

const Context = React.createContext<IMemoryContext | null>(null);

export const MemoryContext = Context.Provider;

/** Only for components inside a `MemoryContext`. */
export function useMemory(): IMemoryContext {
  return React.useContext(Context)!;
}
