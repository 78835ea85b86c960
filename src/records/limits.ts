/**
 * The maximum number of cells whose order the server records. If a notebook has more cells, the
 * order of its cells is not recorded.
 */
export const MAX_ORDERED_CELLS = 20_000;
