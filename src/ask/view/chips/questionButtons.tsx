/** Buttons below the empty input field of an empty cell: first requests about the attached data. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile } from '../../../api/types';
import type { IJoinKey } from '../../../kernel/joinKeys';
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
  const isShown = phase === 'editing' && !failure && isEmpty;
  const keys = useJoinKeys(model, isShown ? dataframes : []);
  if (!isShown) {
    return null;
  }
  const questions = suggestQuestions(dataframes, trans, keys);
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
          title={question.reason}
          run={() => onChoose(question.request)}
        />
      ))}
    </div>
  ) : null;
}

/** The most tables whose keys are looked for. */
const MAX_TABLES = 4;

/** Return the keys by which the DataFrames can be joined; empty until the kernel has replied. */
function useJoinKeys(
  { target }: GenerationModel,
  dataframes: readonly DataFrameProfile[]
): IJoinKey[] {
  const [keys, setKeys] = React.useState<IJoinKey[]>([]);
  const list = JSON.stringify(dataframes.map(({ name }) => name));
  React.useEffect(() => {
    const names = JSON.parse(list) as string[];
    setKeys([]);
    if (names.length < 2 || names.length > MAX_TABLES) {
      return;
    }
    let isCurrent = true;
    void target.joinKeys(names).then(keys => isCurrent && setKeys(keys));
    return () => void (isCurrent = false);
  }, [target, list]);
  return keys;
}
