/** The sidebar's empty state, which explains the first step. */
import React from 'react';

import { useReplay } from './context';

/** The command to ask for code in the active cell. */
export interface IAsk {
  /** The key binding, formatted for this system; null if there is none. */
  readonly keys: string | null;
  readonly isEnabled: boolean;
  readonly run: () => void;
}

export function Empty(props: {
  title: string;
  text: string;
  ask: IAsk | null;
  /** Open the guided notebook. */
  firstSteps?: () => void;
}): React.JSX.Element {
  const { title, text, ask, firstSteps } = props;
  const { trans } = useReplay();
  return (
    <div className="jp-AIServer-Replay-empty">
      <Sketch />
      <h3>{title}</h3>
      <p>{text}</p>
      {ask && (
        <>
          <p>
            <AskLine keys={ask.keys} />
          </p>
          <button
            type="button"
            className="jp-AIServer-Replay-button jp-mod-primary"
            disabled={!ask.isEnabled}
            onClick={ask.run}
          >
            {trans.__('Ask for code')}
          </button>
        </>
      )}
      {firstSteps && (
        <button
          type="button"
          className="jp-AIServer-Replay-link"
          onClick={firstSteps}
        >
          {trans.__('Open First Steps')}
        </button>
      )}
    </div>
  );
}

/** "Press Ctrl+I in a cell …", with the keys in a `kbd` element at the translation's position. */
function AskLine(props: { keys: string | null }): React.JSX.Element {
  const { keys } = props;
  const { trans } = useReplay();
  if (!keys) {
    return (
      <>{trans.__('Select a code cell and describe what it should do.')}</>
    );
  }
  const placeholder = '\u0000';
  const [before, after] = trans
    .__('Press %1 in a cell to ask for code.', placeholder)
    .split(placeholder);
  return (
    <>
      {before}
      <kbd>{keys}</kbd>
      {after}
    </>
  );
}

/** An illustration of three steps on a line: a request, an edit, another request. */
function Sketch(): React.JSX.Element {
  return (
    <svg viewBox="0 0 120 44" width="120" height="44" aria-hidden="true">
      <path className="jp-mod-rail" d="M14 22h92" />
      <path className="jp-mod-model jp-mod-line" d="M14 22h46" />
      <circle className="jp-mod-model" cx="14" cy="22" r="6" />
      <circle className="jp-mod-hand" cx="60" cy="22" r="9" />
      <circle className="jp-mod-model jp-mod-next" cx="106" cy="22" r="6" />
    </svg>
  );
}
