/** Icons that JupyterLab lacks, in the theme's colours, and the icon of each kind of step. */
import {
  addIcon,
  checkIcon,
  copyIcon,
  deleteIcon,
  fileIcon,
  LabIcon,
  moveDownIcon,
  moveUpIcon,
  refreshIcon,
  runIcon,
  textEditorIcon,
  undoIcon
} from '@jupyterlab/ui-components';

import type { Step } from '../../api/types';
import { askIcon, pathIcon } from '../../ui/icons';
import { contributorIcon } from '../../ui/contributorIcon';

/** A clock with a backward arrow, above three dots for steps. */
export const replayIcon = pathIcon(
  'replay',
  'M12 3a8 8 0 0 0-7.75 6.02L2.4 7.2 1 8.6l4.1 4.1 4.1-4.1-1.4-1.4-1.5 1.5A6 6 0 1 1 8.1 15.6l-1.4 1.42A8 8 0 1 0 12 3Zm-1 3.5v5.2l3.9 2.3.85-1.4-3.05-1.8V6.5H11ZM3.5 20.25a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8.5 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8.5 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z'
);

export const previousIcon = pathIcon(
  'previous-step',
  'M6 6h2.2v12H6zm3.8 6L18 6v12z'
);

export const nextIcon = pathIcon(
  'next-step',
  'M15.8 6H18v12h-2.2zM6 18V6l8.2 6z'
);

export const splitIcon = pathIcon(
  'split-diff',
  'M3 5h8v14H3V5Zm2 2v10h4V7H5Zm8-2h8v14h-8V5Zm2 3h4v2h-4V8Zm0 4h4v2h-4v-2Z'
);

export const compareIcon = pathIcon(
  'compare-steps',
  'M9 6 4 10l5 4v-3h11V9H9V6Zm6 6 5 4-5 4v-3H4v-2h11v-3Z'
);

const splitCellIcon = pathIcon(
  'split-cell',
  'M4 4h16v5H4V4Zm0 11h16v5H4v-5Zm-1-4h4v2H3v-2Zm6 0h6v2H9v-2Zm8 0h4v2h-4v-2Z'
);

const mergeCellsIcon = pathIcon(
  'merge-cells',
  'M11 3h2v4h3l-4 4-4-4h3V3Zm0 18h2v-4h3l-4-4-4 4h3v4ZM4 11h3v2H4v-2Zm13 0h3v2h-3v-2Z'
);

/** The icons of steps whose icon depends only on their kind. */
const ICONS: Partial<Record<Step['kind'], LabIcon>> = {
  turn: askIcon,
  accept: checkIcon,
  run: runIcon,
  restore: undoIcon,
  context_reset: refreshIcon,
  split: splitCellIcon,
  merge: mergeCellsIcon,
  copy: copyIcon,
  delete: deleteIcon,
  undelete: addIcon,
  type: textEditorIcon
};

export function stepIcon(step: Step): LabIcon {
  const { kind, data } = step;
  if (kind === 'move') {
    return Number(data?.to) < Number(data?.from) ? moveUpIcon : moveDownIcon;
  }
  const icon = kind === 'edit' ? contributorIcon(step) : ICONS[kind];
  return icon ?? fileIcon;
}
