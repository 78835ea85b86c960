/** The question whether a text of the row's request is remembered, or why it can't be. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { failureText } from '../../../labels/failureText';
import type { GenerationModel } from '../../model/generation';

type SetText = React.Dispatch<React.SetStateAction<string>>;

/**
 * If all of the text in the input field is to be remembered, propose it and return true. The field
 * is cleared only if the proposal was stored.
 */
export async function proposeRequest(
  { memory, inputText }: GenerationModel,
  setText: SetText
): Promise<boolean> {
  if (!memory?.isFor(inputText)) {
    return false;
  }
  if (await memory.propose(inputText)) {
    setText(current => (current === inputText ? '' : current));
  }
  return true;
}

export function RememberBar(props: {
  model: GenerationModel;
  trans: TranslationBundle;
  /** Focus the input field. */
  focus: () => void;
  /** Return whether a model is ready. */
  canAsk: () => Promise<boolean>;
  setText: SetText;
}): React.JSX.Element | null {
  const { model, trans, focus, canAsk, setText } = props;
  const { memory } = model;
  if (!memory) {
    return null;
  }
  const { asked, failure, result } = memory;
  /** Send a request that begins with “remember”; if it can't be sent, put it into the field. */
  const askInstead = async (request: string) => {
    if (!model.isBusy && (await canAsk())) {
      void model.ask(request);
      focus();
    } else {
      setText(current => current || request);
    }
  };
  return (
    <>
      <p className="jp-AIServer-Ask-notice" role="status" hidden={!result}>
        {result}
      </p>
      {failure && (
        <p className="jp-AIServer-Ask-notice" role="alert">
          {failureText(failure, trans)}
        </p>
      )}
      {asked && (
        <React.Fragment key={asked.id}>
          {memory.memory.renderProposal({
            id: asked.id,
            takesFocus: asked.request !== '',
            onEnd: (text, isHere) => {
              memory.end(text);
              if (isHere) {
                focus();
              }
            },
            onAsk: asked.request
              ? () => void askInstead(asked.request)
              : undefined
          })}
        </React.Fragment>
      )}
    </>
  );
}
