/**
 * The rules files of the next request: questions about new and changed files, chips, and the dialog
 * to read and choose them. Names and texts of files are never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import { Button } from '../../../ui/button';
import { showView } from '../../../ui/dialogs';
import type { IRulesFile, RulesFiles } from '../../model/context/rulesFiles';
import { Chip } from './chips';

/** The server reads this many bytes of each file. */
const MAX_BYTES = 32_768;

interface IRulesProps {
  rules: RulesFiles;
  trans: TranslationBundle;
}

export function RulesChips(
  props: IRulesProps & {
    requestTime: number;
    focus: () => void;
  }
): React.JSX.Element {
  const { rules, requestTime, trans, focus } = props;
  React.useEffect(() => void rules.load(), [rules, requestTime]);
  const choose = (file: IRulesFile, isUsed: boolean) => {
    rules.choose(file, isUsed);
    focus();
  };
  const draw = () => {
    const files = rules.list;
    const used = files.filter(({ choice }) => choice === 'used');
    const open = files.filter(
      ({ choice }) => choice === null || choice === 'changed'
    );
    return (
      <>
        {open.map(file => (
          <div
            key={file.path}
            className="jp-AIServer-Ask-rules"
            role="group"
            aria-label={file.path}
          >
            <span className="jp-AIServer-Ask-sentence">
              {file.choice === 'changed'
                ? trans.__(
                    '%1 has changed. Use it in your requests?',
                    file.path
                  )
                : trans.__(
                    '%1 has rules for models. Use them in your requests?',
                    file.path
                  )}
            </span>
            <Button
              label={trans.__('Read…')}
              quiet
              run={() => void showRulesFiles(rules, trans).then(focus)}
            />
            <Button label={trans.__('Use')} run={() => choose(file, true)} />
            <Button
              label={trans.__('Ignore')}
              run={() => choose(file, false)}
            />
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
  };
  return <UseSignal signal={rules.changed}>{draw}</UseSignal>;
}

export async function showRulesFiles(
  rules: RulesFiles,
  trans: TranslationBundle
): Promise<void> {
  const view = <RulesFilesView rules={rules} trans={trans} />;
  await showView(trans.__('Rules files'), view, trans);
}

export function RulesFilesView({
  rules,
  trans
}: IRulesProps): React.JSX.Element {
  return (
    <>
      <p>
        {trans.__(
          'These files in the notebook’s folder and the folders above it tell models about the project. Models only get the files that you use.'
        )}
      </p>
      <UseSignal signal={rules.changed}>
        {() =>
          rules.list.map(file => (
            <section key={file.path}>
              <label className="jp-AIServer-Preview-choice">
                <input
                  type="checkbox"
                  checked={file.choice === 'used'}
                  onChange={event => rules.choose(file, event.target.checked)}
                />
                {trans.__('Use %1', file.path)}
              </label>
              {file.size > MAX_BYTES && (
                <p>{trans.__('Only the first 32 KB are used.')}</p>
              )}
              <pre tabIndex={0} aria-label={file.path}>
                {file.text}
              </pre>
            </section>
          ))
        }
      </UseSignal>
    </>
  );
}
