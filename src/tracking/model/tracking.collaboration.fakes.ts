/** Connects other Yjs clients to a shared notebook, for specs. */
import type { YNotebook } from '@jupyter/ydoc';
import type { Awareness } from 'y-protocols/awareness';
import type { Doc, Map as YMap, Text as YText } from 'yjs';

import type { OpenNotebook } from './tracking.fakes';

export const awarenessOf = (open: OpenNotebook): Awareness =>
  (open.panel.content.model!.sharedModel as YNotebook).awareness;

/** Send a client's awareness state to another client, as the server of a shared notebook does. */
export async function syncAwareness(
  from: Awareness,
  to: Awareness
): Promise<void> {
  const { applyAwarenessUpdate, encodeAwarenessUpdate } =
    await import('y-protocols/awareness');
  const update = encodeAwarenessUpdate(from, [from.clientID]);
  applyAwarenessUpdate(to, update, 'others');
}

export interface IRemoteClient {
  readonly doc: Doc;
  readonly cells: { get(index: number): YMap<unknown> } & {
    delete(index: number, count: number): void;
    insert(index: number, cells: YMap<unknown>[]): void;
  };
  /** Return the source of the cell at `index`, in this client's copy of the notebook. */
  source(index: number): YText;
  /** Send the client's changes to the page. */
  send(): void;
}

/**
 * Connect another client, which has its own copy of the notebook, to an open notebook.
 *
 * @param state The client's awareness state; null for a client that sends no awareness state.
 * @param clientID The client's id. By default, Yjs chooses a random id.
 */
export async function connectClient(
  open: OpenNotebook,
  state: Record<string, unknown> | null,
  clientID?: number
): Promise<IRemoteClient> {
  const { Doc, applyUpdate, encodeStateAsUpdate } = await import('yjs');
  const { Awareness } = await import('y-protocols/awareness');
  const { ydoc } = open.panel.content.model!.sharedModel as YNotebook;
  const doc = new Doc();
  doc.clientID = clientID ?? doc.clientID;
  applyUpdate(doc, encodeStateAsUpdate(ydoc));
  if (state) {
    const awareness = new Awareness(doc);
    awareness.setLocalState(state);
    await syncAwareness(awareness, awarenessOf(open));
    awareness.destroy();
  }
  const cells = doc.getArray<YMap<unknown>>('cells');
  return {
    doc,
    cells,
    source: index => cells.get(index).get('source') as YText,
    send: () => applyUpdate(ydoc, encodeStateAsUpdate(doc), 'others')
  };
}
