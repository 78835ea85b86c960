import React from 'react';

import { CommandIDs } from '../../tokens';
import { keysOf } from '../../ui/keys';
import { TextButton, LinkButton } from './buttons';
import { useReplay } from './context';

export function NoNotebook(): React.JSX.Element {
  const { trans } = useReplay();
  return (
    <EmptyView
      title={trans.__('No notebook is open')}
      text={trans.__('Open a notebook to see how its cells were made.')}
      showsFirstStepsButton
    />
  );
}

export function EmptyView(props: {
  title: string;
  text: string;
  showsAskButton?: boolean;
  showsFirstStepsButton?: boolean;
}): React.JSX.Element {
  const { title, text, showsAskButton, showsFirstStepsButton } = props;
  const { commands, trans } = useReplay();
  const { ask, firstSteps } = CommandIDs;
  return (
    <div className="jp-AIServer-Replay-empty">
      <Sketch />
      <h3>{title}</h3>
      <p>{text}</p>
      {showsAskButton && commands.hasCommand(ask) && (
        <>
          <p>
            <AskHint />
          </p>
          <TextButton
            className="jp-mod-primary"
            disabled={!commands.isEnabled(ask)}
            onClick={() => void commands.execute(ask)}
          >
            {trans.__('Ask for code')}
          </TextButton>
        </>
      )}
      {showsFirstStepsButton && commands.hasCommand(firstSteps) && (
        <LinkButton onClick={() => void commands.execute(firstSteps)}>
          {trans.__('Open First Steps')}
        </LinkButton>
      )}
    </div>
  );
}

function AskHint(): React.JSX.Element {
  const { commands, trans } = useReplay();
  const keys = keysOf(commands, CommandIDs.ask);
  if (!keys) {
    return (
      <>{trans.__('Select a code cell and describe what it should do.')}</>
    );
  }
  // Split the translated text at `%1`, so that the keys can be drawn there in a `kbd` element.
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

function Sketch(): React.JSX.Element {
  return (
    <svg viewBox="0 0 120 44" width="120" height="44" aria-hidden="true">
      <path d="M14 22h92" />
      <path className="jp-mod-model jp-mod-line" d="M14 22h46" />
      <circle className="jp-mod-model" cx="14" cy="22" r="6" />
      <circle className="jp-mod-hand" cx="60" cy="22" r="9" />
      <circle className="jp-mod-model jp-mod-next" cx="106" cy="22" r="6" />
    </svg>
  );
}
