import React from 'react';

import type { TurnPrompt } from '../../../api/types';
import { IFailure, toFailure } from '../../../state/failure';
import type { ICellKey } from '../../../tokens';
import { useReplay } from '../context';

/** Load the prompt of a turn. With null, nothing is loaded. */
export function usePrompt(
  key: ICellKey | null,
  turnId: number | null
): { value: TurnPrompt | null; failure: IFailure | null } {
  const { model } = useReplay();
  const { api } = model.history;
  const [value, setValue] = React.useState<TurnPrompt | null>(null);
  const [failure, setFailure] = React.useState<IFailure | null>(null);
  const { notebookId, cellId } = key ?? {};
  React.useEffect(() => {
    const abort = new AbortController();
    setValue(null);
    setFailure(null);
    if (turnId !== null && notebookId && cellId) {
      api.turnPrompt({ notebookId, cellId }, turnId, abort.signal).then(
        prompt => !abort.signal.aborted && setValue(prompt),
        reason => !abort.signal.aborted && setFailure(toFailure(reason))
      );
    }
    return () => abort.abort();
  }, [api, notebookId, cellId, turnId]);
  return { value, failure };
}
