/** The line below an answer: its tokens, time and cost, and the model's thoughts. */
import React from 'react';

import type { Step } from '../../../api/types';
import { receiptTexts } from '../../../prompt/usageLabels';
import { useReplay } from '../context';
import { Thoughts } from './thoughts';

export function ReceiptLine(props: { step: Step }): React.JSX.Element | null {
  const { step } = props;
  const { receipt } = step;
  const { trans } = useReplay();
  if (!receipt) {
    return null;
  }
  const texts = receiptTexts(receipt, trans);
  return (
    <>
      {texts.length > 0 && (
        <p className="jp-AIServer-Replay-receipt">
          {texts.map(text => (
            <span key={text}>{text}</span>
          ))}
        </p>
      )}
      {receipt.hasThoughts && <Thoughts key={step.turnId} step={step} />}
    </>
  );
}
