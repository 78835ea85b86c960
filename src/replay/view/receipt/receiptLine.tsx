/**
 * The receipt below an answer: its tokens, time and cost, the button “What the model saw”, and the
 * model's thoughts.
 */
import React from 'react';

import type { Step } from '../../../api/types';
import { receiptTexts } from '../../../prompt/usageLabels';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';
import { showPrompt } from './promptDialog';
import { Thoughts } from './thoughts';

export function ReceiptLine(props: { step: Step }): React.JSX.Element | null {
  const { step } = props;
  const { receipt } = step;
  const context = useReplay();
  const { model, trans } = context;
  if (!receipt) {
    return null;
  }
  return (
    <>
      <p className="jp-AIServer-Replay-receipt">
        {receiptTexts(receipt, trans).map(text => (
          <span key={text}>{text}</span>
        ))}
        {receipt.hasPrompt !== undefined && (
          <LinkButton
            aria-haspopup="dialog"
            title={trans.__('Show what was sent to the model for this request')}
            onClick={() => {
              const key = model.steps.shownCell;
              if (key) {
                void showPrompt(step, model.steps.all, key, context);
              }
            }}
          >
            {trans.__('What the model saw')}
          </LinkButton>
        )}
      </p>
      {receipt.hasThoughts && <Thoughts key={step.turnId} step={step} />}
    </>
  );
}
