/** The field for the reason why an agent's proposal is rejected, which the agent can read. */
import * as React from 'react';

import { Button } from '../../../ui/button';
import { TextField, ignoreRepeatedKey } from '../../../ui/textField';
import type { IRow } from '../row';

/** The maximum length of a reason, in characters. */
const MAX_LENGTH = 500;

/** A button that opens the field. The field replaces it. */
export function RejectReason(props: {
  row: Pick<IRow, 'model' | 'trans' | 'focus'>;
}): React.JSX.Element {
  const { model, trans, focus } = props.row;
  const [text, setText] = React.useState<string | null>(null);
  if (text === null) {
    return (
      <Button
        label={trans.__('Reject with reason…')}
        title={trans.__('Reject it, and tell the agent why')}
        run={() => setText('')}
      />
    );
  }
  const close = () => {
    setText(null);
    focus();
  };
  const reject = () => void model.decision.reject(text.trim());
  const label = trans.__('Reason (optional)');
  return (
    <div
      className="jp-AIServer-Ask-reason"
      role="group"
      aria-label={label}
      onKeyDownCapture={ignoreRepeatedKey}
    >
      <TextField
        label={label}
        placeholder={trans.__('Why? The agent can read it.')}
        text={text}
        takesFocus
        onText={typed =>
          setText(typed.replace(/\n/g, ' ').slice(0, MAX_LENGTH))
        }
        onSave={reject}
        onCancel={close}
      />
      <Button label={trans.__('Reject')} keys="⏎" run={reject} />
      <Button label={trans.__('Cancel')} keys="Esc" run={close} />
    </div>
  );
}
