/** The distribution of a column's values: a histogram, or the two most frequent values. */
import React from 'react';

import type { IColumnProfile, IHistogram } from '../../../kernel/profile';
import { useData } from './context';
import { numberText, percentText } from './dataLabels';

const SHOWN_VALUES = 2;

export function Distribution(props: {
  profile: IColumnProfile;
}): React.JSX.Element | null {
  const { histogram, dates, top, rows, missing } = props.profile;
  const { trans } = useData();
  if (histogram) {
    const { min, max } = dates ?? histogram;
    const text = trans.__(
      'from %1 to %2',
      numberText(min, trans),
      numberText(max, trans)
    );
    return (
      <span className="jp-AIServer-Data-histogram" title={text}>
        <Bars histogram={histogram} />
        <span className="jp-AIServer-Data-hidden">{text}</span>
      </span>
    );
  }
  const present = rows - (missing ?? 0);
  return top.length ? (
    <span className="jp-AIServer-Data-top">
      {top.slice(0, SHOWN_VALUES).map(({ value, count }, index) => (
        <span key={index} title={value}>
          <i style={{ width: `${(100 * count) / Math.max(1, present)}%` }} />
          <span>{value}</span>
          <small>{percentText(count, present, trans)}</small>
        </span>
      ))}
    </span>
  ) : null;
}

/** A bin with few values has a visible bar, too. */
export function Bars(props: { histogram: IHistogram }): React.JSX.Element {
  const { counts } = props.histogram;
  const highest = Math.max(1, ...counts);
  return (
    <svg
      viewBox={`0 0 ${counts.length} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, index) => {
        const height = count && Math.max(5, (100 * count) / highest);
        return (
          <rect
            key={index}
            x={index + 0.1}
            y={100 - height}
            width={0.8}
            height={height}
          />
        );
      })}
    </svg>
  );
}
