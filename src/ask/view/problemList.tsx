/**
 * The first problems of a suggestion, with buttons for their likeliest corrections.
 *
 * Invariant: names from the person's data are rendered as text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IProblem } from '../../kernel/check';
import {
  installLine,
  problemLine,
  replaceName,
  withFirstLine
} from '../model/problems';
import { isForModel } from '../model/remedies';
import { Button } from '../../ui/button';
import { remedyTexts } from './errors/remedies';

const MAX_SHOWN = 4;
const MAX_CANDIDATES = 2;

export interface IProblemListProps {
  problems: readonly IProblem[];
  trans: TranslationBundle;
  /** The code that has the problems. */
  code: string;
  /** Called with the corrected code after the person has chosen a correction. */
  onCorrect: (code: string) => void;
  /** Called to run the cells above, which define a name. */
  onRunAbove: () => void;
  onRepair: () => void;
}

export function ProblemList(
  props: IProblemListProps
): React.JSX.Element | null {
  const { problems, code, trans, onCorrect } = props;
  if (!problems.length) {
    return null;
  }
  const hiddenCount = problems.length - MAX_SHOWN;
  return (
    <section
      className="jp-AIServer-Ask-problems"
      aria-label={trans.__('Problems in this suggestion')}
    >
      <ul>
        {problems.slice(0, MAX_SHOWN).map(problem => (
          <li key={`${problem.line} ${problem.column} ${problem.name}`}>
            <span>{problemText(problem, trans)}</span>
            {candidatesOf(problem).map(candidate => (
              <Button
                key={candidate}
                label={candidate}
                title={trans.__('Replace with “%1”', candidate)}
                run={() => onCorrect(replaceName(code, problem, candidate))}
              />
            ))}
            {problem.import && (
              <Button
                label={problem.import}
                title={trans.__('Add this line')}
                run={() => onCorrect(withFirstLine(code, problem.import ?? ''))}
              />
            )}
            {problem.package && (
              <Button
                label={installLine(problem.package)}
                title={trans.__('Add a line that installs it')}
                run={() =>
                  onCorrect(
                    withFirstLine(code, installLine(problem.package ?? ''))
                  )
                }
              />
            )}
          </li>
        ))}
      </ul>
      {problems.some(problem => problem.isDefinedAbove) && (
        <Button
          {...remedyTexts({ kind: 'run_above' }, trans)}
          run={props.onRunAbove}
        />
      )}
      {problems.some(isForModel) && (
        <Button label={trans.__('Ask for a repair')} run={props.onRepair} />
      )}
      {hiddenCount > 0 && (
        <span className="jp-AIServer-Ask-hint">
          {trans._n('and %1 more', 'and %1 more', hiddenCount)}
        </span>
      )}
    </section>
  );
}

/** Return the candidates with buttons. A name that a cell above defines is right as it is. */
function candidatesOf({
  candidates,
  isDefinedAbove
}: IProblem): readonly string[] {
  return isDefinedAbove ? [] : candidates.slice(0, MAX_CANDIDATES);
}

/** Return a sentence about a problem. */
export function problemText(
  { kind, name, line }: IProblem,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'undefined_name':
      return trans.__('Line %1: “%2” isn’t defined.', line, name);
    case 'missing_column':
      return trans.__('Line %1: there is no column “%2”.', line, name);
    case 'missing_module':
      return trans.__('Line %1: “%2” isn’t installed.', line, name);
    case 'missing_attribute':
      return trans.__('Line %1: “%2” doesn’t exist.', line, name);
    case 'unknown_argument':
      return trans.__('Line %1: “%2” isn’t an argument here.', line, name);
    case 'not_numbers':
      return trans.__(
        'Line %1: “%2” needs numbers, but there is text.',
        line,
        name
      );
    case 'not_dates':
      return trans.__('Line %1: “%2” doesn’t contain dates.', line, name);
    case 'not_text':
      return trans.__('Line %1: “%2” doesn’t contain text.', line, name);
    case 'not_aligned':
      return trans.__(
        'Line %1: “%2” doesn’t give one value per row.',
        line,
        name
      );
    case 'missing_file':
      return trans.__('Line %1: there is no file “%2”.', line, name);
    case 'changed_code':
      return trans.__(
        'Line %1: code is changed, which you did not ask for.',
        line
      );
    case 'no_tests':
      return trans.__('There are no tests.');
    default:
      return trans.__('Line %1 isn’t valid Python.', line);
  }
}

/**
 * Return the text of the request for a repair. Only the text's first line is translated. The other
 * lines describe the problems in English.
 */
export function repairRequest(
  problems: readonly IProblem[],
  trans: TranslationBundle
): string {
  const lines = problems.filter(isForModel).map(problemLine);
  return [trans.__('Fix these problems:'), ...lines].join('\n');
}
