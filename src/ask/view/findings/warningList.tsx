/**
 * The warnings about a suggestion: DataFrames in the kernel and files that it would overwrite.
 *
 * Invariant: a warning is a sentence, not a barrier: the suggestion can be accepted as it is.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IWarning } from '../../../kernel/check';
import { countText } from '../../../labels/formats';
import { joinSentences } from '../../../labels/serverText';
import { withOtherName } from '../../model/problems';
import { Button } from '../../../ui/button';
import { Findings } from './findings';

export function WarningList(props: {
  warnings: readonly IWarning[];
  trans: TranslationBundle;
  /** The code that the warnings are about. */
  code: string;
  /** Called with the code in which another name is used. */
  onCorrect: (code: string) => void;
}): React.JSX.Element {
  const { warnings, code, trans, onCorrect } = props;
  return (
    <Findings
      label={trans.__('What this suggestion would overwrite')}
      role="status"
      findings={warnings}
      trans={trans}
      show={warning => {
        const renamed = withOtherName(code, warning);
        return (
          <>
            <span>
              {joinSentences(
                warningText(warning, trans),
                warning.isInOtherCells ? trans.__('Other cells use it.') : ''
              )}
            </span>
            {renamed !== null && (
              <Button
                label={trans.__('Name it “%1”', warning.otherName)}
                title={trans.__(
                  'Keep “%1”, and give the result another name',
                  warning.name
                )}
                run={() => onCorrect(renamed)}
              />
            )}
          </>
        );
      }}
    />
  );
}

/** Return a sentence about a warning. */
function warningText(
  { kind, name, rows, width, labels }: IWarning,
  trans: TranslationBundle
): string {
  const size = [countText(rows, trans), countText(width, trans)];
  const columns = labels
    .map(label => trans.__('“%1”', label))
    .join(trans._p('between names', ', '));
  switch (kind) {
    case 'file':
      return trans.__('This overwrites the file “%1”.', name);
    case 'replaced':
      return trans.__('This replaces “%1” (%2 × %3).', name, ...size);
    case 'reloaded':
      return trans.__(
        'This loads “%1” again, and replaces the present one (%2 × %3).',
        name,
        ...size
      );
    case 'deleted':
      return trans.__('This deletes “%1” (%2 × %3).', name, ...size);
    case 'columns':
      return trans.__('This overwrites %1 in “%2”.', columns, name);
    default:
      return trans.__('This changes “%1” (%2 × %3) in place.', name, ...size);
  }
}
