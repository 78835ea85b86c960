/**
 * The explanation of a step. Numbers that the output handed to the model doesn't support are
 * marked: they are compared with the stored prompt.
 */
import React from 'react';

import type { Step } from '../../../api/types';
import { CheckedText, handedIn } from '../../../prompt/checkedText';
import { useReplay } from '../context';
import { usePrompt } from '../receipt/turnPrompt';

export function Explanation(props: { step: Step }): React.JSX.Element {
  const { step } = props;
  const { model, trans } = useReplay();
  const { handsOutput, hasPrompt } = step.receipt ?? {};
  const turnId = handsOutput && hasPrompt ? step.turnId : null;
  const { value, failure } = usePrompt(model.steps.shownCell, turnId ?? null);
  const messages = value?.turnId === turnId ? value?.messages : null;
  const isUnchecked =
    handsOutput && (!hasPrompt || failure || (value && !messages));
  return (
    <div className="jp-AIServer-Replay-explanation">
      <CheckedText
        text={step.explanation ?? ''}
        handed={messages ? handedIn(messages) : null}
        trans={trans}
      />
      {isUnchecked && (
        <p className="jp-AIServer-Markdown-hint">
          {trans.__(
            'The numbers weren’t compared with the output, because what the model got isn’t available.'
          )}
        </p>
      )}
    </div>
  );
}
