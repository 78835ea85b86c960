/**
 * The cells that the server accepts in a list of a notebook's cells. With more, changes of their
 * order are not sent, and a registration contains only the first ones.
 */
export const MAX_ORDERED_CELLS = 20_000;
