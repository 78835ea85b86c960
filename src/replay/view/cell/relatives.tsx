/** Links to the histories of the cells that a merge step refers to. */
import React from 'react';

import type { Step } from '../../../api/types';
import type { ReplayModel } from '../../model/replay';
import { IRelative, relativesOf } from '../../model/cell/relatives';
import { cellName } from '../../../labels/cellNames';
import { useReplay } from '../context';
import { stepTitle } from '../../../labels/stepLabels';

export function Relatives(props: {
  step: Step;
  describeCells: ReplayModel['describeCells'];
  onOpen: (cellId: string) => void;
}): React.JSX.Element | null {
  const { step, describeCells, onOpen } = props;
  const { trans } = useReplay();
  const ids = React.useMemo(() => relativesOf(step), [step]);
  const [cells, setCells] = React.useState<readonly IRelative[]>([]);
  React.useEffect(() => {
    let isShown = true;
    if (ids.length) {
      void describeCells(ids).then(described => isShown && setCells(described));
    }
    return () => {
      isShown = false;
    };
  }, [ids, describeCells]);
  if (!ids.length) {
    return null;
  }
  return (
    <ul
      className="jp-AIServer-Replay-relatives"
      aria-label={stepTitle(step, trans)}
    >
      {ids.map(cellId => {
        const relative = cells.find(cell => cell.cellId === cellId);
        return (
          <li key={cellId}>
            <button
              type="button"
              className="jp-AIServer-Replay-link"
              title={trans.__('Show the history of this cell')}
              onClick={() => onOpen(cellId)}
            >
              <span>
                {relative
                  ? cellName(relative.cell?.number ?? null, trans)
                  : '…'}
              </span>
              <code>{relative?.firstLine}</code>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
