/** The cells that a step names, as links to their histories. */
import React from 'react';

import type { Step } from '../../../api/types';
import type { ReplayModel } from '../../model/replay';
import { IRelative, relativesOf } from '../../model/cell/relatives';
import { cellName } from '../../../labels/cellNames';
import { useReplay } from '../context';
import { stepTitle } from '../stepLabels';

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
      void describeCells(ids).then(found => isShown && setCells(found));
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
        const found = cells.find(one => one.cellId === cellId);
        return (
          <li key={cellId}>
            <button
              type="button"
              className="jp-AIServer-Replay-link"
              title={trans.__('Show the history of this cell')}
              onClick={() => onOpen(cellId)}
            >
              <span>
                {found ? cellName(found.cell?.number ?? null, trans) : '…'}
              </span>
              <code>{found?.firstLine}</code>
            </button>
          </li>
        );
      })}
    </ul>
  );
}
