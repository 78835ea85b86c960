/**
 * The warnings about a suggestion: DataFrames in the kernel and files that it would overwrite.
 *
 * Invariants:
 * - A warning is a sentence, not a barrier: the suggestion can be accepted as it is.
 * - Names from the person's data are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IWarning } from '../../kernel/check';
import { withOtherName } from '../model/warnings';
import { countText } from '../../labels/counts';
import { Button } from '../../ui/button';

const MAX_SHOWN = 3;

export function WarningList(props: {
  warnings: readonly IWarning[];
  trans: TranslationBundle;
  /** The code that the warnings are about. */
  code: string;
  /** Called with the code in which another name is used. */
  onCorrect: (code: string) => void;
}): React.JSX.Element | null {
  const { warnings, code, trans, onCorrect } = props;
  const hiddenCount = warnings.length - MAX_SHOWN;
  return warnings.length ? (
    <section
      className="jp-AIServer-Ask-problems"
      role="status"
      aria-label={trans.__('What this suggestion would overwrite')}
    >
      <ul>
        {warnings.slice(0, MAX_SHOWN).map(warning => {
          const renamed = withOtherName(code, warning);
          return (
            <li key={`${warning.kind} ${warning.name}`}>
              <span>{warningText(warning, trans)}</span>
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
            </li>
          );
        })}
      </ul>
      {hiddenCount > 0 && (
        <span className="jp-AIServer-Ask-hint">
          {trans._n('and %1 more', 'and %1 more', hiddenCount)}
        </span>
      )}
    </section>
  ) : null;
}

/** Return a sentence about a warning. */
export function warningText(
  { kind, name, rows, width, labels, isInOtherCells }: IWarning,
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
      return isInOtherCells
        ? trans.__(
            'This replaces “%1” (%2 × %3), which other cells use.',
            name,
            ...size
          )
        : trans.__('This replaces “%1” (%2 × %3).', name, ...size);
    case 'reloaded':
      return isInOtherCells
        ? trans.__(
            'This loads “%1” again, and replaces the one (%2 × %3) that other cells use.',
            name,
            ...size
          )
        : trans.__(
            'This loads “%1” again, and replaces the present one (%2 × %3).',
            name,
            ...size
          );
    case 'deleted':
      return isInOtherCells
        ? trans.__(
            'This deletes “%1” (%2 × %3), which other cells use.',
            name,
            ...size
          )
        : trans.__('This deletes “%1” (%2 × %3).', name, ...size);
    case 'columns':
      return isInOtherCells
        ? trans.__(
            'This overwrites %1 in “%2”, which other cells use.',
            columns,
            name
          )
        : trans.__('This overwrites %1 in “%2”.', columns, name);
    default:
      return isInOtherCells
        ? trans.__(
            'This changes “%1” (%2 × %3) in place, and other cells use it.',
            name,
            ...size
          )
        : trans.__('This changes “%1” (%2 × %3) in place.', name, ...size);
  }
}
