import React from 'react';

import type { IGraphRow } from '../../model/cell/graph';

/** The width of a column of the graph, in pixels. */
const COLUMN_WIDTH = 14;

export function graphWidth(columnCount: number): number {
  return columnCount * COLUMN_WIDTH;
}

/** The lines of one row. The drawing is 100 units high and is stretched to the row's height. */
export function GraphLines(props: {
  row: IGraphRow;
  columnCount: number;
}): React.JSX.Element {
  const { row, columnCount } = props;
  const width = graphWidth(columnCount);
  /** The horizontal position of a column's centre. */
  const x = (column: number) => (column + 0.5) * COLUMN_WIDTH;
  const dotX = x(row.column);
  return (
    <svg
      width={width}
      viewBox={`0 0 ${width} 100`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {row.passingColumns.map(column => (
        <path key={`t${column}`} d={`M${x(column)} 0V100`} />
      ))}
      {row.hasLineFromAbove && <path d={`M${dotX} 0V50`} />}
      {row.columnsBelow.map(column => (
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
