/** The largest number of cells whose order the server accepts; a longer order is not recorded. */
export const MAX_ORDERED_CELLS = 20_000;
