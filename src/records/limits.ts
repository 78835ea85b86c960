/** Most cells in an order that the server accepts; a longer order is not recorded. */
export const MAX_ORDERED_CELLS = 20_000;
