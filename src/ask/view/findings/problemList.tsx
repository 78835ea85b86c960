/** The problems of a suggestion, with buttons for their likeliest corrections. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { IProblem } from '../../../kernel/check';
import { problemLine, replaceNames } from '../../model/problems';
import { type Remedy, isForModel, remediesOf } from '../../model/problems';
import { Button } from '../../../ui/button';
import { RemedyButtons } from '../errors/remedies';
import { Findings } from './findings';

const MAX_CANDIDATES = 2;

export function ProblemList(props: {
  problems: readonly IProblem[];
  trans: TranslationBundle;
  /** The code that has the problems. */
  code: string;
  /** Called with the corrected code after the person has chosen a correction. */
  onCorrect: (code: string) => void;
  /** Called to add a line to the code, or to run the cells above. */
  apply: (remedy: Remedy) => void;
  onRepair: () => void;
}): React.JSX.Element {
  const { problems, code, trans, onCorrect } = props;
  // The same problem can occur several times in a line.
  const groups = new Map<string, IProblem[]>();
  for (const problem of problems) {
    const text = problemText(problem, trans);
    groups.set(text, [...(groups.get(text) ?? []), problem]);
  }
  return (
    <Findings
      label={trans.__('Problems in this suggestion')}
      findings={[...groups]}
      trans={trans}
      show={([text, same]) => (
        <>
          <span>{text}</span>
          {candidatesOf(same[0]).map(candidate => (
            <Button
              key={candidate}
              label={candidate}
              title={trans.__('Replace with “%1”', candidate)}
              run={() => onCorrect(replaceNames(code, same, candidate))}
            />
          ))}
        </>
      )}
    >
      <RemedyButtons
        remedies={remediesOf(problems)}
        trans={trans}
        apply={props.apply}
      />
      {problems.some(isForModel) && (
        <Button label={trans.__('Ask for a repair')} run={props.onRepair} />
      )}
    </Findings>
  );
}

/** Return the candidates with buttons. A name that a cell above defines is right as it is. */
function candidatesOf(problem: IProblem): readonly string[] {
  return problem.isDefinedAbove
    ? []
    : problem.candidates.slice(0, MAX_CANDIDATES);
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
