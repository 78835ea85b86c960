/** Checks whether a model is ready before the prompt row sends a request. */
import * as React from 'react';

import type { GenerationModel } from '../model/generation';

export interface IModelCheck {
  /**
   * Return whether a request can be sent. If the row shows that no model is ready, first fetch the
   * list of models again. Return false while an earlier call is still fetching the list.
   */
  readonly canAsk: () => Promise<boolean>;
  /** The number of requests that were not sent because no model was ready. */
  readonly refusalCount: number;
}

export function useModelCheck(
  model: GenerationModel,
  hasNoModel: boolean
): IModelCheck {
  const isChecking = React.useRef(false);
  const [refusalCount, setRefusalCount] = React.useState(0);
  const canAsk = async (): Promise<boolean> => {
    if (isChecking.current) {
      return false;
    }
    if (hasNoModel) {
      // A model may have become ready since the list was fetched.
      isChecking.current = true;
      await model.refreshModel();
      isChecking.current = false;
      if (model.state.failure || model.state.phase === 'idle') {
        setRefusalCount(count => count + 1);
        return false;
      }
    }
    return true;
  };
  return { canAsk, refusalCount };
}
