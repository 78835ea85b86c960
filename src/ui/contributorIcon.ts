import {
  editIcon,
  extensionIcon,
  fileIcon,
  LabIcon
} from '@jupyterlab/ui-components';

import type { Step } from '../api/types';
import { FILE_ON_DISK } from '../records/contributor';
import { askIcon } from './icons';

/** Return a file's icon for `FILE_ON_DISK`; null for other unknown contributors. */
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
