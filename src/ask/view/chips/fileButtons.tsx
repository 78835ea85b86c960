/**
 * Buttons below the input field of an empty cell: the data files in the notebook's folder, while the
 * kernel has no DataFrame and the text mentions no data file. A click adds a file's mention.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { isForbidden } from '../../../state/features';
import { Button } from '../../../ui/button';
import { fileMention, isDataFile } from '../../model/context/mentions';
import type { GenerationModel } from '../../model/generation';

/** The completion of mentions lists all files. */
const MAX_FILES = 3;

export function FileButtons(props: {
  model: GenerationModel;
  /** The text in the input field. */
  text: string;
  /** Return the names in a folder, relative to the notebook's folder. */
  listFiles: (folder: string) => readonly string[];
  trans: TranslationBundle;
  setText: (text: string) => void;
  focus: () => void;
}): React.JSX.Element | null {
  const { model, text, listFiles, trans, setText, focus } = props;
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
      {files.slice(0, MAX_FILES).map(name => (
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

/** Return whether a request in an empty code cell has no data that it can be about. */
function needsData(model: GenerationModel, text: string): boolean {
  const { phase, failure, kernel } = model.state;
  return (
    phase === 'editing' &&
    !failure &&
    model.target.cellType === 'code' &&
    !model.target.source()?.trim() &&
    !isForbidden('files') &&
    !!kernel.language && // The kernel has replied.
    !kernel.frames.length &&
    !model.mentions(text).some(({ file }) => file && isDataFile(file))
  );
}
