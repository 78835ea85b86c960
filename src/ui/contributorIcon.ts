/** Chooses the icon for the contributor of a change or a line. */
import {
  editIcon,
  extensionIcon,
  fileIcon,
  LabIcon
} from '@jupyterlab/ui-components';

import type { Step } from '../api/types';
import { FILE_ON_DISK } from '../records/contributor';
import { askIcon } from './icons';

/**
 * Return the icon for a contributor. If the notebook's file was changed outside JupyterLab, the
 * contributor's name is `FILE_ON_DISK`, and the icon shows a file. Return null for any other
 * unknown contributor.
 */
export function contributorIcon({
  author,
  name
}: Pick<Step, 'author' | 'name'>): LabIcon | null {
  switch (author) {
    case 'model':
      return askIcon;
    case 'person':
      return editIcon;
    case 'unknown':
      return name === FILE_ON_DISK ? fileIcon : null;
    default:
      return name === FILE_ON_DISK ? fileIcon : extensionIcon;
  }
}
