/** Other Yjs clients of a shared notebook. */
import type { YNotebook } from '@jupyter/ydoc';
import type { Awareness } from 'y-protocols/awareness';
import type { Doc, Map as YMap, Text as YText } from 'yjs';

import type { OpenNotebook } from './tracking.fakes';

export const awarenessOf = (open: OpenNotebook): Awareness =>
  (open.panel.content.model!.sharedModel as YNotebook).awareness;

/** Copy a client's state as the server of a shared notebook does. */
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
  /** Return a cell's source in this client's copy of the notebook. */
  source(index: number): YText;
  send(): void;
}

/**
 * Connect a client with its own copy of the notebook.
 *
 * @param state Its awareness state; null for a client that sends none.
 * @param clientID By default, Yjs chooses a random id.
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
