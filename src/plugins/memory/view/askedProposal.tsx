/** The question in a prompt row whether a text of its request is remembered. */
import { UseSignal } from '@jupyterlab/ui-components';
import React from 'react';

import { ignoreRepeatedKey } from '../../../ui/textField';
import { useMemory } from './context';
import { ProposalView, noteText } from './rows';

export interface IAskedProposalProps {
  id: string;
  takesFocus: boolean;
  onEnd: (result: string, isHere: boolean) => void;
  onAsk?: () => void;
}

export function AskedProposal(props: IAskedProposalProps): React.JSX.Element {
  const { model } = useMemory();
  return (
    <UseSignal signal={model.stateChanged}>
      {() => <Question {...props} />}
    </UseSignal>
  );
}

function Question(props: IAskedProposalProps): React.JSX.Element | null {
  const { id, takesFocus, onEnd, onAsk } = props;
  const { model, trans } = useMemory();
  const proposal = model.proposals.find(other => other.id === id);
  const isDecided = !proposal;
  const isDecidedHere = React.useRef(false);
  React.useEffect(() => {
    if (isDecided) {
      onEnd(noteText(model.note, trans), isDecidedHere.current);
    }
    // Only when the proposal disappears.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [isDecided]);
  const later = () => onEnd(trans.__('It waits in the Memory view.'), true);
  return proposal ? (
    <div
      className="jp-AIServer-Memory-asked"
      role="group"
      aria-label={trans.__('Remember this?')}
      onKeyDownCapture={ignoreRepeatedKey}
      onKeyDown={event => {
        if (event.key === 'Escape') {
          event.preventDefault();
          event.stopPropagation();
          later();
        }
      }}
    >
      <p>{trans.__('Remember this for other cells, too?')}</p>
      <ProposalView
        proposal={proposal}
        isInRow
        takesFocus={takesFocus}
        onAction={() => (isDecidedHere.current = true)}
        onLater={later}
        onAsk={
          onAsk &&
          (() => {
            isDecidedHere.current = true;
            void model.reject(proposal).then(isDone => isDone && onAsk());
          })
        }
      />
    </div>
  ) : null;
}
