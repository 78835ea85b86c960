/** The menu in which a person chooses one of several answers to a request. */
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { stepAuthor } from '../../../labels/stepLabels';
import { useReplay } from '../context';

export function AttemptMenu(props: {
  step: IShownStep;
}): React.JSX.Element | null {
  const { step } = props;
  const { model, trans } = useReplay();
  const { attempts } = step;
  if (!attempts) {
    return null;
  }
  return (
    <select
      className="jp-AIServer-Replay-speed"
      aria-label={trans.__('Answers to this request')}
      title={trans.__('Answers to this request')}
      value={step.turnId}
      onChange={event =>
        model.steps.showAttempt(step, Number(event.target.value))
      }
    >
      {attempts.map((attempt, index) => (
        <option key={attempt.turnId} value={attempt.turnId}>
          {[
            trans.__('%1 of %2', index + 1, attempts.length),
            stepAuthor(
              { ...step, model: attempt.model },
              model.modelInfo(attempt.model),
              trans
            ).name,
            ...(attempt.outcome === 'error' ? [trans.__('failed')] : []),
            ...(attempt.outcome === 'cancelled' ? [trans.__('stopped')] : [])
          ].join(' · ')}
        </option>
      ))}
    </select>
  );
}
