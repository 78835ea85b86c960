/**
 * The maximum number of cells in an order that the server accepts. If a notebook has more cells,
 * their order is not recorded.
 */
export const MAX_ORDERED_CELLS = 20_000;
