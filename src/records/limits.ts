/**
 * The maximum number of cells that the server accepts in a list of a notebook's cells. If a
 * notebook has more cells, changes of their order are not sent. The request that registers the
 * notebook then contains only the first cells.
 */
export const MAX_ORDERED_CELLS = 20_000;
