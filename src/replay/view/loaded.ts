import React from 'react';

import type { TurnPrompt } from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import type { ICellKey } from '../../tokens';
import { useReplay } from './context';

interface ILoaded<T> {
  readonly value: T | null;
  readonly failure: IFailure | null;
}

const NOTHING = { value: null, failure: null };

/** Load a value whenever `load` changes, which `React.useCallback` makes. */
export function useLoaded<T>(
  load: (signal: AbortSignal) => Promise<T> | undefined
): ILoaded<T> {
  const [loaded, setLoaded] = React.useState<ILoaded<T>>(NOTHING);
  React.useEffect(() => {
    const abort = new AbortController();
    const show = (result: ILoaded<T>) =>
      abort.signal.aborted ? undefined : setLoaded(result);
    setLoaded(NOTHING);
    load(abort.signal)?.then(
      value => show({ value, failure: null }),
      reason => show({ value: null, failure: toFailure(reason) })
    );
    return () => abort.abort();
  }, [load]);
  return loaded;
}

/** Load the prompt of a turn. With null, nothing is loaded. */
export function usePrompt(
  key: ICellKey | null,
  turnId: number | null
): ILoaded<TurnPrompt> {
  const { api } = useReplay().model.history;
  const { notebookId, cellId } = key ?? {};
  const load = React.useCallback(
    (signal: AbortSignal) =>
      turnId !== null && notebookId && cellId
        ? api.turnPrompt({ notebookId, cellId }, turnId, signal)
        : undefined,
    [api, notebookId, cellId, turnId]
  );
  return useLoaded(load);
}
