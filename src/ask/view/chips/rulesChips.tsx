/**
 * The rules files of the next request, such as `AGENTS.md`: a question about each new or changed
 * file, and chips for those that are used.
 *
 * Invariant: names and texts of files are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../../ui/button';
import type { IRulesFile, RulesFiles } from '../../model/context/rulesFiles';
import { Chip } from './chip';
import { showRulesFiles } from './rulesDialog';

export function RulesChips(props: {
  rules: RulesFiles;
  /** The time of the last request. After each request, the files are read again. */
  requestTime: number;
  trans: TranslationBundle;
  /** Focus the input field. */
  focus: () => void;
}): React.JSX.Element {
  const { rules, requestTime } = props;
  React.useEffect(() => void rules.load(), [rules, requestTime]);
  return (
    <UseSignal signal={rules.changed}>
      {() => <Chips {...props} files={rules.list} />}
    </UseSignal>
  );
}

function Chips(props: {
  rules: RulesFiles;
  files: readonly IRulesFile[];
  trans: TranslationBundle;
  focus: () => void;
}): React.JSX.Element {
  const { rules, files, trans, focus } = props;
  const choose = (file: IRulesFile, isUsed: boolean) => {
    rules.choose(file, isUsed);
    focus();
  };
  const used = files.filter(({ choice }) => choice === 'used');
  return (
    <>
      {files.filter(needsChoice).map(file => (
        <div
          key={file.path}
          className="jp-AIServer-Ask-rules"
          role="group"
          aria-label={file.path}
        >
          <span className="jp-AIServer-Ask-sentence">
            {questionText(file, trans)}
          </span>
          <Button
            label={trans.__('Read…')}
            quiet
            run={() => void showRulesFiles(rules, trans).then(focus)}
          />
          <Button label={trans.__('Use')} run={() => choose(file, true)} />
          <Button label={trans.__('Ignore')} run={() => choose(file, false)} />
        </div>
      ))}
      {used.length > 0 && (
        <div className="jp-AIServer-Ask-chips">
          {used.map(file => (
            <Chip
              key={file.path}
              title={trans.__(
                '%1: rules for models, which are sent with each request',
                file.path
              )}
              removeLabel={trans.__('Ignore %1', file.path)}
              onRemove={() => choose(file, false)}
            >
              {file.path.split('/').pop()}
            </Chip>
          ))}
        </div>
      )}
    </>
  );
}

/** Return whether the person should choose whether models get a file. */
function needsChoice({ choice }: IRulesFile): boolean {
  return choice === null || choice === 'changed';
}

function questionText(
  { path, choice }: IRulesFile,
  trans: TranslationBundle
): string {
  return choice === 'changed'
    ? trans.__('%1 has changed. Use it in your requests?', path)
    : trans.__('%1 has rules for models. Use them in your requests?', path);
}
