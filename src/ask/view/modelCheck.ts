/** Checks that a model can answer before the prompt row sends a request. */
import * as React from 'react';

import type { GenerationModel } from '../model/generation';

export interface IModelCheck {
  /** Return whether a model can answer. If none could so far, look for a model again first. */
  readonly canAsk: () => Promise<boolean>;
  /** The number of requests that were not sent because no model can answer. */
  readonly refusals: number;
}

export function useModelCheck(
  model: GenerationModel,
  hasNoModel: boolean
): IModelCheck {
  const isChecking = React.useRef(false);
  const [refusals, setRefusals] = React.useState(0);
  const canAsk = async (): Promise<boolean> => {
    if (isChecking.current) {
      return false;
    }
    if (hasNoModel) {
      // A model may have become available. If none has, the text stays in the field.
      isChecking.current = true;
      await model.refreshModel();
      isChecking.current = false;
      if (model.state.failure || model.state.phase === 'idle') {
        setRefusals(count => count + 1);
        return false;
      }
    }
    return true;
  };
  return { canAsk, refusals };
}
