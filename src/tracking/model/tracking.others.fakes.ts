/** For specs of shared notebooks: another client of one, and what it says of itself. */
import type { YNotebook } from '@jupyter/ydoc';
import type { Awareness } from 'y-protocols/awareness';
import type { Doc, Map as YMap, Text as YText } from 'yjs';

import type { OpenNotebook } from './tracking.fakes';

export const awarenessOf = (open: OpenNotebook): Awareness =>
  (open.panel.content.model!.sharedModel as YNotebook).awareness;

/** Pass on a client's state, as a server of jupyter-collaboration does. */
export async function pass(from: Awareness, to: Awareness): Promise<void> {
  const { applyAwarenessUpdate, encodeAwarenessUpdate } =
    await import('y-protocols/awareness');
  const update = encodeAwarenessUpdate(from, [from.clientID]);
  applyAwarenessUpdate(to, update, 'others');
}

export interface IOther {
  readonly theirs: Doc;
  readonly cells: { get(index: number): YMap<unknown> } & {
    delete(index: number, count: number): void;
    insert(index: number, cells: YMap<unknown>[]): void;
  };
  source(index: number): YText;
  /** Make what the other client wrote reach the page. */
  send(): void;
}

/** Another client of an open notebook. @param state What it says of itself; null: nothing. */
export async function other(
  open: OpenNotebook,
  state: Record<string, unknown> | null,
  clientID?: number
): Promise<IOther> {
  const { Doc, applyUpdate, encodeStateAsUpdate } = await import('yjs');
  const { Awareness } = await import('y-protocols/awareness');
  const { ydoc } = open.panel.content.model!.sharedModel as YNotebook;
  const theirs = new Doc();
  theirs.clientID = clientID ?? theirs.clientID;
  applyUpdate(theirs, encodeStateAsUpdate(ydoc));
  if (state) {
    const awareness = new Awareness(theirs);
    awareness.setLocalState(state);
    await pass(awareness, awarenessOf(open));
    awareness.destroy();
  }
  const cells = theirs.getArray<YMap<unknown>>('cells');
  return {
    theirs,
    cells,
    source: index => cells.get(index).get('source') as YText,
    send: () => applyUpdate(ydoc, encodeStateAsUpdate(theirs), 'others')
  };
}
