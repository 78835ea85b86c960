/** Small parts of rows: the link to a turn, the buttons that remember a text, and a failure. */
import React from 'react';

import type { MemoryScope } from '../../api/types';
import { failureText } from '../../labels/failureText';
import type { IFailure } from '../../state/failure';
import { Button } from '../../ui/button';
import { type Source, useMemory } from './context';
import { rememberLabel, rememberTitle } from './memoryLabels';

/** A link to the turn from which a text comes. */
export function SourceLink(props: {
  source: Source | null;
  tabIndex?: 0 | -1;
}): React.JSX.Element | null {
  const { source, tabIndex } = props;
  const { trans, showSource } = useMemory();
  return source && showSource ? (
    <button
      type="button"
      className="jp-AIServer-Memory-link"
      tabIndex={tabIndex}
      title={trans.__('Show in the replay from where this text comes')}
      onClick={() => showSource(source)}
    >
      {source.turn_id ? trans.__('From a request') : trans.__('From a cell')}
    </button>
  ) : null;
}

/** A button for each memory that exists here. The first is the one that Enter presses. */
export function RememberButtons(props: {
  /** Whether Enter in the text field presses the first button. */
  hasKey: boolean;
  disabled: boolean;
  tabIndex?: 0 | -1;
  describedBy?: string;
  onRemember: (scope: MemoryScope) => void;
}): React.JSX.Element {
  const { hasKey, disabled, tabIndex, describedBy, onRemember } = props;
  const { model, trans } = useMemory();
  return (
    <>
      {model.scopes.map((scope, index) => (
        <Button
          key={scope}
          label={rememberLabel(scope, trans)}
          title={rememberTitle(scope, trans)}
          keys={hasKey && !index ? '⏎' : undefined}
          primary={!index}
          {...{ disabled, tabIndex, describedBy }}
          run={() => onRemember(scope)}
        />
      ))}
    </>
  );
}

export function FailureText(props: {
  failure: IFailure | null;
}): React.JSX.Element | null {
  const { trans } = useMemory();
  return props.failure ? (
    <p className="jp-AIServer-Memory-failure" role="alert">
      {failureText(props.failure, trans)}
    </p>
  ) : null;
}
