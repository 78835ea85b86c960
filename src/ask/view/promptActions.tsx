/** The buttons of the prompt row, labelled with their keys. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import * as React from 'react';

import type { GenerationModel } from '../model/generation';
import { IGenerationState, versionNumber } from '../model/state';
import { Progress } from './promptParts';
import { fixRequest } from './promptLabels';
import { Button, CopyButton } from '../../ui/button';
import { labelText } from '../../labels/serverText';

export function Turn(props: {
  state: IGenerationState;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const version = versionNumber(props.state);
  return version ? (
    <span className="jp-AIServer-Ask-turn">
      {props.trans.__('Request %1', version)}
    </span>
  ) : null;
}

export function Actions(props: {
  model: GenerationModel;
  state: IGenerationState;
  trans: TranslationBundle;
  text: string;
  send: () => void;
  /** Send this intent instead of the input field's text. */
  ask: (intent: string) => void;
}): React.JSX.Element {
  const { model, state, trans, text } = props;
  if (model.isBusy) {
    return (
      <>
        <Button label={trans.__('Stop')} keys="Esc" run={() => model.stop()} />
        <Progress
          key={state.since}
          since={state.since}
          writing={state.phase === 'streaming'}
          model={state.model ? labelText(state.model.label, trans) : ''}
          waitUntil={state.waitUntil}
          trans={trans}
        />
      </>
    );
  }
  if (state.phase === 'suggested') {
    return (
      <>
        <Button
          label={trans.__('Accept')}
          keys={text.trim() ? acceptKeys() : '⇧⏎'}
          primary
          run={() => void model.decision.accept()}
        />
        <Button
          label={trans.__('Reject')}
          keys="Esc"
          run={() => void model.decision.reject()}
        />
        {/* A suggestion that can't be saved or written can still be copied. */}
        {(model.target.isReadOnly ||
          state.saveError ||
          state.notice === 'not_written') && (
          <CopyButton text={state.code} trans={trans} />
        )}
        <Button label={trans.__('Regenerate')} run={() => void model.retry()} />
        {model.decision.isRevised && (
          <Button
            label={trans.__('Restore skipped changes')}
            run={() => model.decision.restore()}
          />
        )}
      </>
    );
  }
  const error = model.target.error();
  return (
    <>
      <Button
        label={trans.__('Ask')}
        keys="⏎"
        primary={state.failure?.code !== 'no_model'}
        disabled={!text.trim()}
        run={props.send}
      />
      <Button
        label={trans.__('Close')}
        keys="Esc"
        run={() => model.close(text)}
      />
      {error && (
        <Button
          quiet
          label={trans.__('Fix it')}
          title={trans.__('Ask for a fix for this error: %1', error)}
          run={() => props.ask(fixRequest(error, trans))}
        />
      )}
    </>
  );
}

/** The key that accepts while the input field has text, in this system's notation. */
function acceptKeys(): string {
  return CommandRegistry.formatKeystroke('Accel Enter').replace('Enter', '⏎');
}
