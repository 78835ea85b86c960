/**
 * The problems, warnings and signals of a suggestion, and buttons that help with them and with a
 * cell's error.
 *
 * Invariants: names from data and lines from the check are rendered as text. Warnings and signals
 * don't prevent accepting.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ITarget } from '../../../cells/notebookCell';
import type { IProblem, IWarning } from '../../../kernel/check';
import { type ISignal, UNRELATED } from '../../../kernel/signals';
import { countText } from '../../../labels/formats';
import { joinSentences } from '../../../labels/serverText';
import { Button } from '../../../ui/button';
import {
  type Remedy,
  findRemedies,
  isForModel,
  problemLine,
  remediesOf,
  replaceNames,
  withOtherName
} from '../../model/problems';
import type { IRow } from '../row';

const MAX_SHOWN = 4;
const MAX_CANDIDATES = 2;

interface IFindingsProps {
  row: Pick<IRow, 'model' | 'trans'>;
  /** Called with the corrected code after the person has chosen a correction. */
  correct: (code: string) => void;
  /** Add a line to the code, or run the cells above. */
  apply: (remedy: Remedy) => void;
  repair: () => void;
}

function List<T extends object>(props: {
  label: string;
  role?: 'status';
  findings: readonly T[];
  trans: TranslationBundle;
  show: (finding: T) => React.ReactNode;
  children?: React.ReactNode;
}): React.JSX.Element | null {
  const { label, role, findings, trans, show, children } = props;
  const hiddenCount = findings.length - MAX_SHOWN;
  return findings.length ? (
    <section
      className="jp-AIServer-Ask-problems"
      role={role}
      aria-label={label}
    >
      <ul>
        {findings.slice(0, MAX_SHOWN).map((finding, index) => (
          <li key={index}>{show(finding)}</li>
        ))}
      </ul>
      {children}
      {hiddenCount > 0 && (
        <span className="jp-AIServer-Ask-hint">
          {trans._n('and %1 more', 'and %1 more', hiddenCount)}
        </span>
      )}
    </section>
  ) : null;
}

export function Findings(props: IFindingsProps): React.JSX.Element {
  return (
    <>
      <WarningList {...props} />
      <SignalList
        signals={props.row.model.state.signals}
        trans={props.row.trans}
      />
      <ProblemList {...props} />
    </>
  );
}

function ProblemList(props: IFindingsProps): React.JSX.Element {
  const { row, correct, apply, repair } = props;
  const { model, trans } = row;
  const { code, problems } = model.state;
  const groups = new Map<string, IProblem[]>();
  for (const problem of problems) {
    const text = problemText(problem, trans);
    groups.set(text, [...(groups.get(text) ?? []), problem]);
  }
  // A name that a cell above defines is right.
  const candidatesOf = ({ candidates, isDefinedAbove }: IProblem) =>
    isDefinedAbove ? [] : candidates.slice(0, MAX_CANDIDATES);
  return (
    <List
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
              run={() => correct(replaceNames(code, same, candidate))}
            />
          ))}
        </>
      )}
    >
      <RemedyButtons
        remedies={remediesOf(problems)}
        trans={trans}
        apply={apply}
      />
      {problems.some(isForModel) && (
        <Button label={trans.__('Ask for a repair')} run={repair} />
      )}
    </List>
  );
}

function problemText(
  { kind, name, line }: IProblem,
  trans: TranslationBundle
): string {
  const texts: Record<string, string> = {
    undefined_name: trans.__('Line %1: “%2” isn’t defined.', line, name),
    missing_column: trans.__('Line %1: there is no column “%2”.', line, name),
    missing_module: trans.__('Line %1: “%2” isn’t installed.', line, name),
    missing_attribute: trans.__('Line %1: “%2” doesn’t exist.', line, name),
    unknown_argument: trans.__(
      'Line %1: “%2” isn’t an argument here.',
      line,
      name
    ),
    not_numbers: trans.__(
      'Line %1: “%2” needs numbers, but there is text.',
      line,
      name
    ),
    not_dates: trans.__('Line %1: “%2” doesn’t contain dates.', line, name),
    not_text: trans.__('Line %1: “%2” doesn’t contain text.', line, name),
    not_aligned: trans.__(
      'Line %1: “%2” doesn’t give one value per row.',
      line,
      name
    ),
    not_valid: trans.__('Line %1: “%2” fails here.', line, name),
    no_effect: trans.__('Line %1: “%2” changes nothing.', line, name),
    only_shown: trans.__(
      'Line %1: “%2” is only shown. Nothing is changed.',
      line,
      name
    ),
    not_called: trans.__('Line %1: “%2” lacks its parentheses.', line, name),
    missing_file: trans.__('Line %1: there is no file “%2”.', line, name),
    changed_code: trans.__(
      'Line %1: code is changed, which you did not ask for.',
      line
    ),
    no_tests: trans.__('There are no tests.')
  };
  return texts[kind] ?? trans.__('Line %1 isn’t valid Python.', line);
}

/** Only the first line is translated. */
export function repairRequest(
  problems: readonly IProblem[],
  trans: TranslationBundle
): string {
  const lines = problems.filter(isForModel).map(problemLine);
  return [trans.__('Fix these problems:'), ...lines].join('\n');
}

function WarningList({ row, correct }: IFindingsProps): React.JSX.Element {
  const { model, trans } = row;
  const { code, warnings } = model.state;
  return (
    <List
      label={trans.__('What this suggestion would overwrite')}
      role="status"
      findings={warnings}
      trans={trans}
      show={warning => {
        const renamed = withOtherName(code, warning);
        const { isInOtherCells, name, otherName } = warning;
        return (
          <>
            <span>
              {joinSentences(
                warningText(warning, trans),
                isInOtherCells ? trans.__('Other cells use it.') : ''
              )}
            </span>
            {renamed !== null && (
              <Button
                label={trans.__('Name it “%1”', otherName)}
                title={trans.__(
                  'Keep “%1”, and give the result another name',
                  name
                )}
                run={() => correct(renamed)}
              />
            )}
          </>
        );
      }}
    />
  );
}

function warningText(
  { kind, name, rows, width, labels }: IWarning,
  trans: TranslationBundle
): string {
  const size = [countText(rows, trans), countText(width, trans)];
  const columns = namesText(labels, trans);
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

function namesText(names: readonly string[], trans: TranslationBundle): string {
  return names
    .map(name => trans.__('“%1”', name))
    .join(trans._p('between names', ', '));
}

/** Facts about a result, before or after a run. */
export function SignalList(props: {
  signals: readonly ISignal[];
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { signals, trans } = props;
  return (
    <List
      label={trans.__('About the result')}
      role="status"
      findings={signals.filter(({ kind }) => kind !== UNRELATED)}
      trans={trans}
      show={signal => <span>{signalText(signal, trans)}</span>}
    />
  );
}

function signalText(
  { kind, name, labels, before, after }: ISignal,
  trans: TranslationBundle
): string {
  const columns = namesText(labels.filter(Boolean), trans);
  const [rows, rowsAfter, lost] = [before, after, before - after].map(number =>
    countText(number, trans)
  );
  const texts: Record<string, string> = {
    empty: name
      ? trans.__('“%1” is empty.', name)
      : trans.__('The result is empty.'),
    missing_result: trans.__('The result is a missing value.'),
    all_missing: columns
      ? trans.__('In “%1”, all values of %2 are missing.', name, columns)
      : trans.__('In “%1”, all values are missing.', name),
    unchanged: trans.__('“%1” is the same as before.', name),
    multiplied: trans.__(
      '%1 rows become %2: %3 is several times on both sides.',
      rows,
      rowsAfter,
      columns
    ),
    lost: name
      ? trans.__(
          '%1 of %2 rows of “%3” have no match, so they are dropped.',
          lost,
          rows,
          name
        )
      : trans.__(
          '%1 of %2 rows have no match, so they are dropped.',
          lost,
          rows
        ),
    counted_twice: trans.__(
      'The merge repeats %1, so the result counts some values more than once.',
      columns
    ),
    not_used: trans.__('You named %1, which the code doesn’t use.', columns)
  };
  return texts[kind] ?? '';
}

function RemedyButtons(props: {
  remedies: readonly Remedy[];
  trans: TranslationBundle;
  apply: (remedy: Remedy) => void;
}): React.JSX.Element {
  const { remedies, trans, apply } = props;
  return (
    <>
      {remedies.map(line => (
        <Button
          key={line}
          label={line ?? trans.__('Run the cells above')}
          title={
            line === null
              ? trans.__('They define what is missing in the kernel')
              : trans.__('Add this line')
          }
          run={() => apply(line)}
        />
      ))}
    </>
  );
}

/** Buttons that help with a cell's error without a model, and “Fix it”. */
export function ErrorButtons(props: {
  target: Pick<ITarget, 'error' | 'source' | 'check'>;
  /** A change of this value makes the remedies be looked for again. */
  version: unknown;
  trans: TranslationBundle;
  apply: (remedy: Remedy) => void;
  fix: () => void;
}): React.JSX.Element | null {
  const { target, version, trans, apply, fix } = props;
  const error = target.error();
  const [last, setLast] = React.useState({
    error,
    remedies: [] as readonly Remedy[]
  });
  React.useEffect(() => {
    let isCurrent = true;
    void findRemedies(target).then(
      remedies => isCurrent && setLast({ error, remedies })
    );
    return () => void (isCurrent = false);
  }, [target, error, version]);
  return error === null ? null : (
    <>
      <RemedyButtons
        remedies={last.error === error ? last.remedies : []}
        trans={trans}
        apply={apply}
      />
      <Button
        label={trans.__('Fix it')}
        title={trans.__('Ask for a fix for this error: %1', error)}
        run={fix}
      />
    </>
  );
}
