/**
 * The dialog with the rules files for a notebook and their texts, in which a person chooses which of
 * them models get.
 *
 * Invariant: names and texts of files are rendered as text, never as HTML.
 */
import { Dialog, ReactWidget, showDialog } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import { UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { RulesFiles } from '../../model/context/rulesFiles';

/** The server reads this many bytes of each file. */
const MAX_BYTES = 32_768;

export async function showRulesFiles(
  rules: RulesFiles,
  trans: TranslationBundle
): Promise<void> {
  const body = ReactWidget.create(
    <RulesFilesView rules={rules} trans={trans} />
  );
  body.addClass('jp-AIServer-Preview');
  await showDialog({
    title: trans.__('Rules files'),
    body,
    buttons: [Dialog.okButton({ label: trans.__('Close') })],
    hasClose: true
  });
}

export function RulesFilesView(props: {
  rules: RulesFiles;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { rules, trans } = props;
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
