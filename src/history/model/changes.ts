/**
 * Sends what happened to notebooks, and sees that the record of a save says what the file says.
 *
 * Invariants:
 * - A save over what another page recorded (a second window, without a shared document) is a moment
 *   of the record only once this page has said what it wrote; until then it is none.
 * - What it says is of that save, whatever was done since, and nothing else of this page is sent in
 *   between. Sending it all again, after a lost answer, is sending it once.
 */
import { UUID } from '@lumino/coreutils';

import type { Changes, ChangesBody } from '../../api/types';
import { ISending, bodiesOf } from './changeQueue';

/** So often a page answers what others record while it does. */
const MOST_ANSWERS = 10;

export class ChangeSender {
  constructor(
    private readonly _post: (
      notebookId: string,
      body: ChangesBody
    ) => Promise<Changes>
  ) {}

  /** Resolves to the cells that were written. Rejects if the server could not note all of it. */
  async send(notebookId: string, sending: ISending): Promise<string[]> {
    const { body, isFirst } = sending;
    const cellIds = (body.cells ?? []).map(({ cellId }) => cellId);
    const page = this._page;
    if (!body.saved) {
      const { seq } = await this._post(notebookId, { ...body, page });
      if (isFirst) {
        this._seen.set(notebookId, seq);
      }
      return cellIds;
    }
    const { written } = sending;
    // Who can't say what was written doesn't ask.
    let seen = written && this._seen.get(notebookId);
    let saved: ChangesBody = body;
    for (let count = 0; count < MOST_ANSWERS; count++) {
      const answer = await this._post(notebookId, { ...saved, page, seen });
      seen = answer.seq;
      if (!answer.others || !written) {
        this._seen.set(notebookId, seen);
        break;
      }
      const bodies = bodiesOf(written(answer.others));
      saved = bodies.pop()!;
      for (const one of bodies) {
        await this._post(notebookId, { ...one, page });
      }
      cellIds.push(...answer.others);
    }
    return [...new Set(cellIds)];
  }

  private readonly _page = UUID.uuid4();
  /** Of each notebook: up to which line of its log this page knows what others recorded. */
  private readonly _seen = new Map<string, number>();
}
