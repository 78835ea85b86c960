/**
 * Sends changes of notebooks, and makes sure that the recorded moment of a save equals the file.
 *
 * Invariants:
 * - If two pages have opened a notebook that isn't shared, a save in one page can overwrite changes
 *   that the other has recorded. Then the save is recorded as a moment only after this page has
 *   sent the sources that it saved.
 * - These are the sources at the time of the save, even if they have changed since, and this page
 *   sends nothing else in between. Repeating the requests after a lost response changes nothing.
 */
import { UUID } from '@lumino/coreutils';

import type { Changes, ChangesBody } from '../../api/types';
import { IOutgoingChange, toRequestBodies } from './requestBodies';

/** The number of times that a page repeats a save while other pages keep recording changes. */
const MAX_ATTEMPTS = 10;

export class ChangeSender {
  constructor(
    private readonly _post: (
      notebookId: string,
      body: ChangesBody
    ) => Promise<Changes>
  ) {}

  /** Send a change. Resolves to the ids of the written cells; rejects unless all were recorded. */
  async send(notebookId: string, change: IOutgoingChange): Promise<string[]> {
    const { body, isInitial, savedState } = change;
    const cellIds = (body.cells ?? []).map(({ cellId }) => cellId);
    const page = this._page;
    if (!body.saved) {
      const { seq } = await this._post(notebookId, { ...body, page });
      if (isInitial) {
        this._seen.set(notebookId, seq);
      }
      return cellIds;
    }
    // Without the saved state, the sources that the save wrote over other pages' changes are
    // unknown.
    let seen = savedState && this._seen.get(notebookId);
    let saved: ChangesBody = body;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const response = await this._post(notebookId, { ...saved, page, seen });
      seen = response.seq;
      if (!response.others || !savedState) {
        this._seen.set(notebookId, seen);
        break;
      }
      const bodies = toRequestBodies(savedState(response.others));
      saved = bodies.pop()!;
      for (const preceding of bodies) {
        await this._post(notebookId, { ...preceding, page });
      }
      cellIds.push(...response.others);
    }
    return [...new Set(cellIds)];
  }

  private readonly _page = UUID.uuid4();
  /** For each notebook, the last entry of its change log that this page has taken into account. */
  private readonly _seen = new Map<string, number>();
}
