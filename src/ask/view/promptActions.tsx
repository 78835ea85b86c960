/** The buttons of the prompt row, and the line that shows the open request. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import * as React from 'react';

import type { GenerationModel } from '../model/generation';
import { IGenerationState, requestNumber } from '../model/state';
import { Progress, RunProgress } from './promptParts';
import { Button, CopyButton } from '../../ui/button';
import { askIcon } from '../../ui/icons';
import { requestTitle } from '../../labels/requestTitle';
import { labelText } from '../../labels/serverText';
import { isForbidden } from '../../state/features';
import { unsupportedNote } from '../../prompt/checkedText';

/** The text “Request N”. Turns without an answer aren't counted (see `requestNumber`). */
export function RequestNumber(props: {
  state: IGenerationState;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const number = requestNumber(props.state);
  return number ? (
    <span className="jp-AIServer-Ask-turn">
      {props.trans.__('Request %1', number)}
    </span>
  ) : null;
}

/** A line with the title and the number of the open request. The tooltip has the whole text. */
export function RequestLine(props: {
  state: IGenerationState;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { state, trans } = props;
  const { intent } = state;
  return (
    <div className="jp-AIServer-Ask-request">
      <askIcon.react tag="span" className="jp-AIServer-Ask-spark" />
      <span className="jp-AIServer-Ask-intent" title={intent}>
        {requestTitle(intent, trans)}
      </span>
      {!state.isRemedy && <RequestNumber {...props} />}
    </div>
  );
}

/** The buttons for the current phase, and the progress of a generation or run. */
export function Actions(props: {
  model: GenerationModel;
  state: IGenerationState;
  trans: TranslationBundle;
  /** The text in the input field. */
  text: string;
  /** Send the text in the input field. */
  send: () => void;
  /** Buttons for the cell's error, shown while there is no suggestion. */
  children?: React.ReactNode;
}): React.JSX.Element {
  const { model, state, trans, text } = props;
  if (model.isBusy) {
    const askedModel = state.askedModel ?? state.model;
    return (
      <>
        <Button label={trans.__('Stop')} keys="Esc" run={() => model.stop()} />
        {state.phase === 'running' ? (
          <RunProgress trans={trans} />
        ) : (
          <Progress
            key={state.requestTime}
            requestTime={state.requestTime}
            isWriting={state.phase === 'streaming'}
            model={askedModel ? labelText(askedModel.label, trans) : ''}
            nextAttemptTime={state.nextAttemptTime}
            trans={trans}
          />
        )}
      </>
    );
  }
  if (state.phase === 'suggested') {
    const { changesNothing } = model;
    const { isChecking } = state;
    return (
      <>
        {changesNothing ? (
          <Button
            label={trans.__('Try again')}
            title={trans.__('Ask the model for another answer')}
            primary
            disabled={isChecking}
            run={() => void model.retry()}
          />
        ) : (
          <Button
            label={trans.__('Accept')}
            // In a field with text, Shift+Enter inserts a line break.
            keys={text.trim() ? keyNames('Accel Enter') : '⇧⏎'}
            primary
            disabled={isChecking}
            run={() => void model.decision.accept()}
          />
        )}
        <Button
          label={trans.__('Reject')}
          keys="Esc"
          run={() => void model.decision.reject()}
        />
        {model.target.cellType === 'code' &&
          !changesNothing &&
          !isForbidden('running') && (
            <Button
              label={trans.__('Accept and run')}
              keys={keyNames('Alt Enter')}
              title={trans.__('Accept the suggestion and run the cell.')}
              disabled={isChecking}
              run={() => void model.decision.acceptAndRun()}
            />
          )}
        {/* If the suggestion can't be saved or written into the cell, the person can copy it. */}
        {(model.target.isReadOnly ||
          state.saveError ||
          state.notice === 'not_written') && (
          <CopyButton text={state.code} trans={trans} />
        )}
        {!changesNothing && !state.isRemedy && (
          <Button
            label={trans.__('Regenerate')}
            title={trans.__('Ask the model for another answer')}
            disabled={isChecking}
            run={() => void model.retry()}
          />
        )}
        {model.decision.isRevised && (
          <Button
            label={trans.__('Restore the original suggestion')}
            run={() => model.decision.restore()}
          />
        )}
      </>
    );
  }
  if (state.phase === 'answered') {
    return (
      <>
        <Button
          label={trans.__('Insert below')}
          title={trans.__('Insert the answer as a Markdown cell below')}
          primary
          disabled={model.target.isReadOnly}
          run={() =>
            model.insertAnswer(
              unsupportedNote(state.explanation, model.handedOutput, trans)
            )
          }
        />
        <CopyButton text={state.explanation} trans={trans} />
        <Button
          label={trans.__('Close')}
          keys="Esc"
          run={() => model.close(text)}
        />
        <Button label={trans.__('Regenerate')} run={() => void model.retry()} />
        {props.children}
      </>
    );
  }
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
      {props.children}
    </>
  );
}

/** Return the names of keys as the platform writes them, such as Ctrl+⏎ or ⌘⏎. */
function keyNames(keys: string): string {
  return CommandRegistry.formatKeystroke(keys).replace('Enter', '⏎');
}
