/**
 * The maximum number of cells in a list of a notebook's cells that is sent to the server. If the
 * notebook has more cells, changes of their order are not sent, and the request that registers the
 * notebook contains only the first cells.
 */
export const MAX_ORDERED_CELLS = 20_000;
