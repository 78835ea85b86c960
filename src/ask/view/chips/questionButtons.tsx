/** Buttons below the empty input field of an empty cell: first requests about the attached data. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile } from '../../../api/types';
import { suggestQuestions } from '../../../prompt/suggestedQuestions';
import { Button } from '../../../ui/button';
import type { GenerationModel } from '../../model/generation';

export function QuestionButtons(props: {
  model: GenerationModel;
  /** The text in the input field. */
  text: string;
  /** The DataFrames that are attached to the request. */
  dataframes: readonly DataFrameProfile[];
  trans: TranslationBundle;
  /** Fill the input field with a request. */
  onChoose: (request: string) => void;
}): React.JSX.Element | null {
  const { model, text, dataframes, trans, onChoose } = props;
  const { phase, failure } = model.state;
  const isEmpty = !text.trim() && !model.target.source()?.trim();
  if (phase !== 'editing' || failure || !isEmpty) {
    return null;
  }
  const questions = suggestQuestions(dataframes, trans);
  return questions.length > 0 ? (
    <div
      className="jp-AIServer-Ask-questions"
      role="group"
      aria-label={trans.__('Suggested requests')}
    >
      {questions.map(question => (
        <Button
          key={question.text}
          label={question.text}
          run={() => onChoose(question.request)}
        />
      ))}
    </div>
  ) : null;
}
