/**
 * Buttons of an empty cell: data files while the kernel has no DataFrame and none is mentioned, and
 * first requests while the text has nothing but mentions.
 */
import * as React from 'react';

import type { DataFile } from '../../../api/types';
import type { IJoinKey } from '../../../kernel/joinKeys';
import type { ITable } from '../../../prompt/columnKinds';
import { namedJoinKeys } from '../../../prompt/namedJoinKeys';
import { suggestQuestions } from '../../../prompt/suggestedQuestions';
import { isForbidden } from '../../../state/features';
import { Button } from '../../../ui/button';
import { fileMention, isDataFile } from '../../model/context/mentions';
import type { GenerationModel } from '../../model/generation';
import type { IRow } from '../row';

/** The completion of mentions lists all files. */
const MAX_BUTTONS = 3;
/** The limit of the HTTP API. */
const MAX_FILES = 5;
/** DataFrames whose keys are looked for. */
const MAX_TABLES = 4;

export function FileButtons(props: { row: IRow }): React.JSX.Element | null {
  const { model, text, listFiles, trans, setText, focus } = props.row;
  const files = (needsData(model, text) ? listFiles('') : []).filter(
    name => isDataFile(name) && !name.startsWith('.')
  );
  const isNamed = files.some(name => text.includes(name));
  return files.length > 0 && !isNamed ? (
    <div
      className="jp-AIServer-Ask-questions"
      role="group"
      aria-label={trans.__('Data files')}
    >
      {files.slice(0, MAX_BUTTONS).map(name => (
        <Button
          key={name}
          label={trans.__('Use %1', name)}
          title={trans.__('Ask for code that reads this file')}
          run={() => {
            const parts = [text.trim(), fileMention(name)];
            setText(`${parts.filter(Boolean).join(' ')} `);
            focus();
          }}
        />
      ))}
    </div>
  ) : null;
}

export function QuestionButtons(props: {
  row: IRow;
}): React.JSX.Element | null {
  const { model, text, trans, setText, focus, services } = props.row;
  const dataframes = [...model.state.dataframes, ...model.attachedFrames(text)];
  const files = isForbidden('files') ? [] : dataFilesIn(model, text);
  const mentions = [
    ...files.map(({ mention }) => mention),
    ...dataframes.map(({ name }) => `@${name}`)
  ];
  const isMixed = files.length > 0 && dataframes.length > 0;
  const isShown = isEmptyRequest(model) && hasOnly(text, mentions) && !isMixed;
  const paths = files.map(({ path }) => path);
  const tables = useReply(isShown ? paths.slice(0, MAX_FILES) : [], names =>
    services.describeFiles(names).then(
      described => described.flatMap(tablesOf),
      () => []
    )
  );
  const names = dataframes.map(({ name }) => name);
  const hasSeveral = names.length > 1 && names.length <= MAX_TABLES;
  const keys = useReply<IJoinKey>(isShown && hasSeveral ? names : [], list =>
    model.target.joinKeys(list)
  );
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
            setText(parts.filter(Boolean).join(' '));
            focus();
          }}
        />
      ))}
    </div>
  ) : null;
}

function isEmptyRequest({ state, target }: GenerationModel): boolean {
  const isWriting = state.phase === 'editing' && !state.failure;
  return isWriting && !target.source()?.trim();
}

function needsData(model: GenerationModel, text: string): boolean {
  const { kernel } = model.state;
  return (
    isEmptyRequest(model) &&
    model.target.cellType === 'code' &&
    !isForbidden('files') &&
    !!kernel.language && // The kernel has replied.
    !kernel.frames.length &&
    !dataFilesIn(model, text).length
  );
}

function dataFilesIn(
  model: GenerationModel,
  text: string
): { mention: string; path: string }[] {
  return model.target.cellType === 'code'
    ? model
        .mentions(text)
        .flatMap(({ name, file }) =>
          file && isDataFile(file) ? [{ mention: name, path: file }] : []
        )
    : [];
}

function hasOnly(text: string, mentions: readonly string[]): boolean {
  // The longest first, as a mention may begin with another one.
  const sorted = [...mentions].sort((a, b) => b.length - a.length);
  return !sorted
    .reduce((rest, mention) => rest.split(mention).join(' '), text)
    .trim();
}

/** Empty until the reply arrives, and for no names. */
function useReply<T>(
  names: readonly string[],
  ask: (names: string[]) => Promise<T[]>
): T[] {
  const [reply, setReply] = React.useState<T[]>([]);
  const latest = React.useRef(ask);
  latest.current = ask;
  const list = JSON.stringify(names);
  React.useEffect(() => {
    let isCurrent = true;
    setReply([]);
    if (list !== '[]') {
      const names = JSON.parse(list) as string[];
      void latest.current(names).then(items => isCurrent && setReply(items));
    }
    return () => void (isCurrent = false);
  }, [list]);
  return reply;
}

/** A table of a file that isn't a database has the file's name. */
function tablesOf({ name, tables }: DataFile): ITable[] {
  const stem = name.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  return tables.map(table => ({ ...table, name: table.name || stem }));
}
