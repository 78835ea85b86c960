/**
 * The largest number of cells for which the server accepts an order. If a notebook has more cells,
 * their order is not recorded.
 */
export const MAX_ORDERED_CELLS = 20_000;
