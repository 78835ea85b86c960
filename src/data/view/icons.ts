/** The icon of the data view. */
import { pathIcon } from '../../ui/icons';

/** A table with a header, whose cells contain bars. */
export const dataIcon = pathIcon(
  'data',
  'M3 4h18v16H3V4Zm2 5v3h5V9H5Zm7 0v3h7V9h-7Zm-7 5v4h5v-4H5Zm7 0v4h2v-4h-2Zm3 1.500v2.500h1.500v-2.500H15Zm2.500-1v3.500H19v-3.500h-1.500Z'
);
