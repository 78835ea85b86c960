/** The icon of the memory view. */
import { pathIcon } from '../../ui/icons';

/** A bookmark. */
export const memoryIcon = pathIcon(
  'memory',
  'M6 3h12a1 1 0 0 1 1 1v17l-7-4-7 4V4a1 1 0 0 1 1-1Zm1 2v12.600l5-2.900 5 2.900V5H7Zm2 2h6v2H9V7Zm0 3.500h6v2H9v-2Z'
);
