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
import { askIcon } from '../../ui/icons';
import { contributorIcon } from '../../ui/contributorIcon';

/** Return the SVG of an icon that draws `path`. The classes give it the theme's colours. */
const svg = (path: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="${path}"/>
</svg>`;

/** A clock with a backward arrow, above three dots for steps. */
export const replayIcon = new LabIcon({
  name: 'aiserver:replay',
  svgstr: svg(
    'M12 3a8 8 0 0 0-7.75 6.02L2.4 7.2 1 8.6l4.1 4.1 4.1-4.1-1.4-1.4-1.5 1.5A6 6 0 1 1 8.1 15.6l-1.4 1.42A8 8 0 1 0 12 3Zm-1 3.5v5.2l3.9 2.3.85-1.4-3.05-1.8V6.5H11ZM3.5 20.25a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8.5 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8.5 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z'
  )
});

export const previousIcon = new LabIcon({
  name: 'aiserver:previous-step',
  svgstr: svg('M6 6h2.2v12H6zm3.8 6L18 6v12z')
});

export const nextIcon = new LabIcon({
  name: 'aiserver:next-step',
  svgstr: svg('M15.8 6H18v12h-2.2zM6 18V6l8.2 6z')
});

/** Two columns of text. */
export const splitIcon = new LabIcon({
  name: 'aiserver:split-diff',
  svgstr: svg(
    'M3 5h8v14H3V5Zm2 2v10h4V7H5Zm8-2h8v14h-8V5Zm2 3h4v2h-4V8Zm0 4h4v2h-4v-2Z'
  )
});

/** Two opposite arrows. */
export const compareIcon = new LabIcon({
  name: 'aiserver:compare-steps',
  svgstr: svg('M9 6 4 10l5 4v-3h11V9H9V6Zm6 6 5 4-5 4v-3H4v-2h11v-3Z')
});

/** A line that branches from another. */
export const branchIcon = new LabIcon({
  name: 'aiserver:branch-from-step',
  svgstr: svg(
    'M6 3a2.5 2.5 0 0 0-1 4.8v8.4a2.5 2.5 0 1 0 2 0v-2.4c.6-1.1 1.9-1.8 4-1.8 3.600 0 5.700-1.500 6-4.200A2.500 2.500 0 1 0 15 7.700c-.300 1.600-1.600 2.300-4 2.300-1.600 0-3 .400-4 1V7.800A2.500 2.500 0 0 0 6 3Z'
  )
});

export const splitCellIcon = new LabIcon({
  name: 'aiserver:split-cell',
  svgstr: svg(
    'M4 4h16v5H4V4Zm0 11h16v5H4v-5Zm-1-4h4v2H3v-2Zm6 0h6v2H9v-2Zm8 0h4v2h-4v-2Z'
  )
});

export const mergeCellsIcon = new LabIcon({
  name: 'aiserver:merge-cells',
  svgstr: svg(
    'M11 3h2v4h3l-4 4-4-4h3V3Zm0 18h2v-4h3l-4-4-4 4h3v4ZM4 11h3v2H4v-2Zm13 0h3v2h-3v-2Z'
  )
});

/** Return the icon of a step's kind. */
export function stepIcon(step: Step): LabIcon {
  switch (step.kind) {
    case 'turn':
      return askIcon;
    case 'edit':
      return contributorIcon(step) ?? fileIcon;
    case 'accept':
      return checkIcon;
    case 'run':
      return runIcon;
    case 'restore':
      return undoIcon;
    case 'context_reset':
      return refreshIcon;
    case 'split':
      return splitCellIcon;
    case 'merge':
      return mergeCellsIcon;
    case 'copy':
      return copyIcon;
    case 'delete':
      return deleteIcon;
    case 'undelete':
      return addIcon;
    case 'move':
      return Number(step.data?.to) < Number(step.data?.from)
        ? moveUpIcon
        : moveDownIcon;
    case 'type':
      return textEditorIcon;
    default:
      return fileIcon;
  }
}
