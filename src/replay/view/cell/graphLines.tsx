/** The lines of the graph of steps in one row of the list of steps. */
import React from 'react';

import type { IGraphRow } from '../../model/cell/graph';

/** The width of a column of the graph, in pixels. */
const COLUMN_WIDTH = 14;

/** Return the width of a graph with this number of columns, in pixels. */
export function graphWidth(columns: number): number {
  return columns * COLUMN_WIDTH;
}

/** Draw the lines of one row, 100 units high; the drawing is stretched to the row's height. */
export function GraphLines(props: {
  row: IGraphRow;
  columns: number;
}): React.JSX.Element {
  const { row, columns } = props;
  const width = graphWidth(columns);
  const x = (column: number) => (column + 0.5) * COLUMN_WIDTH;
  const dotX = x(row.column);
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
      {row.fromAbove && <path d={`M${dotX} 0V50`} />}
      {row.down.map(column => (
        <path
          key={`d${column}`}
          d={
            column === row.column
              ? `M${dotX} 50V100`
              : `M${dotX} 50C${dotX} 85 ${x(column)} 65 ${x(column)} 100`
          }
        />
      ))}
    </svg>
  );
}
