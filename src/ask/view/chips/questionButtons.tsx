/**
 * Buttons below the row of an empty cell: first requests about the attached DataFrames, or
 * about the data files that the text mentions. They are shown while the text has nothing but mentions.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile } from '../../../api/types';
import type { IJoinKey } from '../../../kernel/joinKeys';
import { namedJoinKeys } from '../../../prompt/namedJoinKeys';
import { suggestQuestions } from '../../../prompt/suggestedQuestions';
import { isForbidden } from '../../../state/features';
import { Button } from '../../../ui/button';
import { isDataFile } from '../../model/context/mentions';
import type { GenerationModel } from '../../model/generation';
import type { IPromptRowServices } from '../promptServices';
import { useFileTables } from './fileTables';

export function QuestionButtons(props: {
  model: GenerationModel;
  /** The text in the input field. */
  text: string;
  /** The DataFrames that are attached to the request. */
  dataframes: readonly DataFrameProfile[];
  describeFiles: IPromptRowServices['describeFiles'];
  trans: TranslationBundle;
  setText: (text: string) => void;
  focus: () => void;
}): React.JSX.Element | null {
  const { model, text, dataframes, describeFiles, trans } = props;
  const { phase, failure } = model.state;
  const files = dataFilesIn(model, text);
  const mentions = [
    ...files.map(({ mention }) => mention),
    ...dataframes.map(({ name }) => `@${name}`)
  ];
  const isEmpty = hasOnly(text, mentions) && !model.target.source()?.trim();
  const isMixed = files.length > 0 && dataframes.length > 0;
  const isShown = phase === 'editing' && !failure && isEmpty && !isMixed;
  const paths = files.map(({ path }) => path);
  const tables = useFileTables(describeFiles, isShown ? paths : []);
  const keys = useJoinKeys(model, isShown ? dataframes : []);
  if (!isShown) {
    return null;
  }
  const questions = files.length
    ? suggestQuestions(tables, trans, namedJoinKeys(tables))
    : suggestQuestions(dataframes, trans, keys);
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
          run={() => {
            const parts = [question.slashWord, text.trim(), question.text];
            props.setText(parts.filter(Boolean).join(' '));
            props.focus();
          }}
        />
      ))}
    </div>
  ) : null;
}

/** Return the data files that the text of a code cell's request mentions, if files are allowed. */
function dataFilesIn(
  model: GenerationModel,
  text: string
): { mention: string; path: string }[] {
  if (isForbidden('files') || model.target.cellType !== 'code') {
    return [];
  }
  return model
    .mentions(text)
    .filter(({ file }) => file && isDataFile(file))
    .map(({ name, file = '' }) => ({ mention: name, path: file }));
}

/** Return whether a text contains only these mentions and spaces. */
function hasOnly(text: string, mentions: readonly string[]): boolean {
  // A mention may begin with another one, so the longest are removed first.
  const sorted = [...mentions].sort((a, b) => b.length - a.length);
  return !sorted
    .reduce((rest, mention) => rest.split(mention).join(' '), text)
    .trim();
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
