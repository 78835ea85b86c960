/**
 * Sends changes of notebooks to the server.
 *
 * If two pages have opened a notebook without jupyter-collaboration, a save in one of them removes
 * the other one's recorded changes from the file. So this page first sends the sources that it
 * saved, and then records the save.
 *
 * Invariants:
 * - The page sends the sources as they were at the time of the save, even if the cells have been
 *   edited since then. Until the save is recorded, the page sends no later change of the notebook.
 * - If the response to a request is lost, the request can be repeated. Even so, nothing is recorded
 *   twice.
 */
import { UUID } from '@lumino/coreutils';

import type { Changes, ChangesBody } from '../../api/types';
import { IOutgoingChange, toRequestBodies } from './requestBodies';

/**
 * The number of attempts to record a save. An attempt fails if another page has sent changes since
 * the previous one. If all fail, `send` resolves nevertheless.
 */
const MAX_ATTEMPTS = 10;

export class ChangeSender {
  constructor(
    private readonly _post: (
      notebookId: string,
      body: ChangesBody
    ) => Promise<Changes>
  ) {}

  async send(notebookId: string, change: IOutgoingChange): Promise<string[]> {
    const { body, isInitial, savedState } = change;
    const cellIds = (body.cells ?? []).map(({ cellId }) => cellId);
    const page = this._pageId;
    if (!body.saved) {
      const { seq } = await this._post(notebookId, { ...body, page });
      if (isInitial) {
        this._lastSeqs.set(notebookId, seq);
      }
      return cellIds;
    }
    // If `seen`, a seq of the change log, is sent, the server answers with the cells that other pages
    // have changed since then. This page must then send the saved sources of these cells. If
    // `savedState` is undefined, it couldn't do so. Therefore, it sends no `seen`.
    let seen = savedState && this._lastSeqs.get(notebookId);
    let saveBody: ChangesBody = body;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const response = await this._post(notebookId, {
        ...saveBody,
        page,
        seen
      });
      seen = response.seq;
      // `others` are the cells that other pages have changed since the `seen` of this request.
      if (!response.others || !savedState) {
        this._lastSeqs.set(notebookId, seen);
        break;
      }
      const bodies = toRequestBodies(savedState(response.others));
      saveBody = bodies.pop()!;
      for (const precedingBody of bodies) {
        await this._post(notebookId, { ...precedingBody, page });
      }
      cellIds.push(...response.others);
    }
    return [...new Set(cellIds)];
  }

  private readonly _pageId = UUID.uuid4();
  /**
   * Maps a notebook's id to the last seq of its change log at the time when this page last recorded
   * a save. Before the first save: at the time when this page began to watch the notebook.
   */
  private readonly _lastSeqs = new Map<string, number>();
}
