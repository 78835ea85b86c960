/** The lines beside a row of the list: which step went on from which. */
import React from 'react';

import type { IGraphRow } from '../../model/cell/graph';

const LANE = 14;

/** How much room so many lanes take, in pixels. */
export function graphWidth(lanes: number): number {
  return lanes * LANE;
}

/** Drawn in a box of 100 units height, which is stretched to the row's. */
export function GraphLines(props: {
  row: IGraphRow;
  lanes: number;
}): React.JSX.Element {
  const { row, lanes } = props;
  const width = graphWidth(lanes);
  const x = (lane: number) => lane * LANE + 7;
  const own = x(row.lane);
  return (
    <svg
      width={width}
      viewBox={`0 0 ${width} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {row.through.map(lane => (
        <path key={`t${lane}`} d={`M${x(lane)} 0V100`} />
      ))}
      {row.fromAbove && <path d={`M${own} 0V50`} />}
      {row.down.map(lane => (
        <path
          key={`d${lane}`}
          d={
            lane === row.lane
              ? `M${own} 50V100`
              : `M${own} 50C${own} 85 ${x(lane)} 65 ${x(lane)} 100`
          }
        />
      ))}
    </svg>
  );
}
