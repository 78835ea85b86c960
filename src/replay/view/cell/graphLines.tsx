/** The lines of the step graph in one row of the list. */
import React from 'react';

import type { IGraphRow } from '../../model/cell/graph';

const COLUMN_WIDTH = 14;

/** The width of the graph, in pixels. */
export function graphWidth(columns: number): number {
  return columns * COLUMN_WIDTH;
}

/** The drawing is 100 units high, and stretched to the height of the row. */
export function GraphLines(props: {
  row: IGraphRow;
  columns: number;
}): React.JSX.Element {
  const { row, columns } = props;
  const width = graphWidth(columns);
  const x = (column: number) => column * COLUMN_WIDTH + 7;
  const own = x(row.column);
  return (
    <svg
      width={width}
      viewBox={`0 0 ${width} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {row.through.map(column => (
        <path key={`t${column}`} d={`M${x(column)} 0V100`} />
      ))}
      {row.fromAbove && <path d={`M${own} 0V50`} />}
      {row.down.map(column => (
        <path
          key={`d${column}`}
          d={
            column === row.column
              ? `M${own} 50V100`
              : `M${own} 50C${own} 85 ${x(column)} 65 ${x(column)} 100`
          }
        />
      ))}
    </svg>
  );
}
