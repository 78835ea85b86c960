/** The details below a column's row: its numbers and its most frequent values. */
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IColumnProfile } from '../../kernel/profile';
import { countText } from '../../labels/formats';
import { useData } from './context';
import { noteText, numberText, percentText } from './dataLabels';

export function ColumnDetails(props: {
  dtype: string;
  /** Undefined before the profile arrives, null if the column can't be profiled. */
  profile: IColumnProfile | null | undefined;
  /** Whether the profile is that of a sample of the rows. */
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

/** Return the labels and values of a profile's figures. */
function figures(
  profile: IColumnProfile,
  isSample: boolean,
  trans: TranslationBundle
): [string, string][] {
  const { distinct, numbers, dates } = profile;
  const { missing, rows } = profile.all ?? profile;
  const { min, max } = numbers ?? dates ?? {};
  const [q1, median, q3] = numbers?.quartiles ?? [];
  const text = (value: number | string | null | undefined) =>
    numberText(value, trans);
  const pairs: ([string, string] | false)[] = [
    missing !== null && [
      trans.__('Missing'),
      trans.__('%1 of %2', text(missing), text(rows))
    ],
    distinct !== null && [
      trans.__('Distinct'),
      // A sample may lack some of the values.
      isSample ? trans.__('at least %1', text(distinct)) : text(distinct)
    ],
    !!(numbers ?? dates) && [trans.__('Minimum'), text(min)],
    !!numbers && [trans.__('25th percentile'), text(q1)],
    !!numbers && [trans.__('Median'), text(median)],
    !!numbers && [trans.__('75th percentile'), text(q3)],
    !!(numbers ?? dates) && [trans.__('Maximum'), text(max)],
    !!numbers && [trans.__('Mean'), text(numbers.mean)],
    !!numbers && [trans.__('Standard deviation'), text(numbers.std)]
  ];
  return pairs.filter(pair => pair !== false);
}
