/** Links from a merge step to the histories of the other cells of the merge. */
import React from 'react';

import type { Step } from '../../../api/types';
import {
  describeCells,
  IRelative,
  relativesOf
} from '../../model/cell/relatives';
import { cellName } from '../../../labels/cellNames';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';
import { stepTitle } from '../../../labels/stepLabels';

export function Relatives(props: { step: Step }): React.JSX.Element | null {
  const { step } = props;
  const { model, trans } = useReplay();
  const ids = React.useMemo(() => relativesOf(step), [step]);
  const [relatives, setRelatives] = React.useState<readonly IRelative[]>([]);
  React.useEffect(() => {
    let isCurrent = true;
    if (ids.length) {
      void describeCells(model, ids).then(
        loadedRelatives => isCurrent && setRelatives(loadedRelatives)
      );
    }
    return () => {
      isCurrent = false;
    };
  }, [ids, model]);
  if (!ids.length) {
    return null;
  }
  return (
    <ul
      className="jp-AIServer-Replay-relatives"
      aria-label={stepTitle(step, trans)}
    >
      {ids.map(cellId => {
        // Until the relatives are loaded, only their ids are known.
        const relative = relatives.find(loaded => loaded.cellId === cellId);
        return (
          <li key={cellId}>
            <LinkButton
              title={trans.__('Show the history of this cell')}
              onClick={() => void model.goTo(cellId)}
            >
              <span>
                {relative
                  ? cellName(relative.cell?.number ?? null, trans)
                  : '…'}
              </span>
              <code>{relative?.firstLine}</code>
            </LinkButton>
          </li>
        );
      })}
    </ul>
  );
}
