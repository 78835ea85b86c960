/** Chooses the icon that shows the contributor of a change or a line. */
import {
  editIcon,
  extensionIcon,
  fileIcon,
  LabIcon
} from '@jupyterlab/ui-components';

import type { Step } from '../api/types';
import { FILE_ON_DISK } from '../records/contributor';
import { askIcon } from './icons';

/** Return the icon of a contributor; null if the contributor is unknown and has no name. */
export function contributorIcon({
  author,
  name
}: Pick<Step, 'author' | 'name'>): LabIcon | null {
  switch (author) {
    case 'model':
      return askIcon;
    case 'person':
      return editIcon;
    // The name tells that the notebook's file was changed outside JupyterLab.
    case 'unknown':
      return name === FILE_ON_DISK ? fileIcon : null;
    default:
      return name === FILE_ON_DISK ? fileIcon : extensionIcon;
  }
}
