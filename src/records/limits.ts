/**
 * The maximum number of cells in an order that is sent to the server. If a notebook has more cells,
 * changes of their order are not sent, and its registration contains only the first cells.
 */
export const MAX_ORDERED_CELLS = 20_000;
