/** Cells that the server takes in an order; a longer one is not recorded. */
export const MAX_ORDERED_CELLS = 20_000;
