/** Tokens, times and costs of an answer or a notebook, and what a model got and thought. */
import React from 'react';

import type { Step } from '../../../api/types';
import { failureText } from '../../../labels/failureText';
import { receiptTexts, totalsText } from '../../../prompt/usageLabels';
import type { IFailure } from '../../../state/failure';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';
import { usePrompt } from '../loaded';

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

export function Thoughts(props: { step: Step }): React.JSX.Element {
  const { model, trans } = useReplay();
  const [isOpen, setOpen] = React.useState(false);
  const turnId = isOpen ? (props.step.turnId ?? null) : null;
  const { value, failure } = usePrompt(model.steps.shownCell, turnId);
  return (
    <div className="jp-AIServer-Replay-thoughts">
      <LinkButton
        aria-expanded={isOpen}
        title={trans.__(
          'What the model wrote before its answer. It is never sent to a model again.'
        )}
        onClick={() => setOpen(!isOpen)}
      >
        {trans.__('Thoughts')}
      </LinkButton>
      {isOpen &&
        (value ? (
          // It may be long, and scrolls by keyboard, too.
          <pre tabIndex={0} aria-label={trans.__('Thoughts')}>
            {value.thoughts}
          </pre>
        ) : (
          <Progress failure={failure} />
        ))}
    </div>
  );
}

export function UsageSummary(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  const { notebook, today } = model.usage;
  const text = notebook && totalsText(notebook, trans);
  if (!text) {
    return null;
  }
  const todayText = today && totalsText(today, trans);
  return (
    <p className="jp-AIServer-Replay-receipt">
      <span>{trans.__('This notebook: %1', text)}</span>
      {todayText && (
        <span title={trans.__('All notebooks, since midnight')}>
          {trans.__('Today: %1', todayText)}
        </span>
      )}
    </p>
  );
}

export function Progress(props: {
  failure: IFailure | null;
}): React.JSX.Element {
  const { trans } = useReplay();
  const { failure } = props;
  return failure ? (
    <p role="alert">{failureText(failure, trans)}</p>
  ) : (
    <p role="status">{trans.__('Loading…')}</p>
  );
}
