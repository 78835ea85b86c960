/**
 * An answer's words. If the request handed an output to the model (`@output`, `@cell3`), the numbers
 * that this output doesn't support are marked.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { unsupportedNumbers } from '../../../prompt/numbersInText';
import { Markdown } from '../../../ui/markdown';
import type { GenerationModel } from '../../model/generation';

export function AnswerText(props: {
  model: GenerationModel;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { model, trans } = props;
  const { explanation } = model.state;
  if (!explanation) {
    return null;
  }
  const result = model.handedOutput;
  const isAnyMarked =
    result !== '' && unsupportedNumbers(explanation, result).length > 0;
  return (
    <div className="jp-AIServer-Ask-explanation">
      <Markdown
        text={explanation}
        renderText={
          isAnyMarked ? text => markNumbers(text, result, trans) : undefined
        }
      />
      {isAnyMarked && (
        <p className="jp-AIServer-Ask-hint">
          {trans.__(
            'The marked numbers aren’t in the output that the model got. Check them.'
          )}
        </p>
      )}
    </div>
  );
}

/** Mark the numbers of a text that a result doesn't support. */
function markNumbers(
  text: string,
  result: string,
  trans: TranslationBundle
): React.ReactNode {
  const parts: React.ReactNode[] = [];
  let end = 0;
  for (const number of unsupportedNumbers(text, result)) {
    parts.push(
      text.slice(end, number.start),
      <mark
        key={number.start}
        className="jp-AIServer-Ask-unsupported"
        title={trans.__('This number isn’t in the output that the model got.')}
      >
        {text.slice(number.start, number.end)}
      </mark>
    );
    end = number.end;
  }
  return parts.length ? [...parts, text.slice(end)] : text;
}
