/** The thoughts of a turn, folded, loaded when unfolded, and shown as plain text, never as HTML. */
import React from 'react';

import type { Step } from '../../../api/types';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';
import { Progress } from './promptDialog';
import { usePrompt } from './turnPrompt';

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
