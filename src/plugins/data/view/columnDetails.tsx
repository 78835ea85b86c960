/** The details below a column's row: its numbers and its most frequent values. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IColumnProfile } from '../../../kernel/profile';
import { countText } from '../../../labels/formats';
import { useData } from './context';
import { noteText, numberText, percentText } from './dataLabels';

export function ColumnDetails(props: {
  dtype: string;
  /** Undefined before the profile arrives, null if the column can't be profiled. */
  profile: IColumnProfile | null | undefined;
  isSample: boolean;
}): React.JSX.Element {
  const { dtype, profile, isSample } = props;
  const { trans } = useData();
  const note = noteText(profile, trans);
  const present = profile ? profile.rows - (profile.missing ?? 0) : 0;
  return (
    <div className="jp-AIServer-Data-details">
      <dl>
        <Pair label={trans.__('Type')} value={dtype} />
        {profile &&
          figures(profile, isSample, trans).map(([label, value]) => (
            <Pair key={label} label={label} value={value} />
          ))}
      </dl>
      {!!profile?.top.length && (
        <table>
          <caption>{trans.__('Most frequent values')}</caption>
          <tbody>
            {profile.top.map(({ value, count }, index) => (
              <tr key={index}>
                <th scope="row">{value}</th>
                <td>{countText(count, trans)}</td>
                <td>{percentText(count, present, trans)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {note && <p>{note}</p>}
    </div>
  );
}

function Pair(props: { label: string; value: string }): React.JSX.Element {
  return (
    <div>
      <dt>{props.label}</dt>
      <dd>{props.value}</dd>
    </div>
  );
}

function figures(
  profile: IColumnProfile,
  isSample: boolean,
  trans: TranslationBundle
): [string, string][] {
  const { distinct } = profile;
  const { missing, rows } = profile.all ?? profile;
  const text = (value: number) => numberText(value, trans);
  return [
    ...(missing === null
      ? []
      : [
          [
            trans.__('Missing'),
            trans.__('%1 of %2', text(missing), text(rows))
          ] as [string, string]
        ]),
    ...(distinct === null
      ? []
      : [
          [
            trans.__('Distinct'),
            // A sample may lack some of the values.
            isSample ? trans.__('at least %1', text(distinct)) : text(distinct)
          ] as [string, string]
        ]),
    ...rangeFigures(profile, trans)
  ];
}

/** The figures of numbers, or the first and the last of dates. */
function rangeFigures(
  { numbers, dates }: IColumnProfile,
  trans: TranslationBundle
): [string, string][] {
  const range = numbers ?? dates;
  const [q1, median, q3] = numbers?.quartiles ?? [];
  const middle: [string, number | null][] = [
    [trans.__('25th percentile'), q1],
    [trans.__('Median'), median],
    [trans.__('75th percentile'), q3]
  ];
  const last: [string, number | null | undefined][] = [
    [trans.__('Mean'), numbers?.mean],
    [trans.__('Standard deviation'), numbers?.std]
  ];
  const figures: [string, number | string | null | undefined][] = range
    ? [
        [trans.__('Minimum'), range.min],
        ...(numbers ? middle : []),
        [trans.__('Maximum'), range.max],
        ...(numbers ? last : [])
      ]
    : [];
  return figures.map(([label, value]) => [label, numberText(value, trans)]);
}
