/**
 * Finds the writers of remote changes in a shared notebook (jupyter-collaboration): of changes made
 * by other Yjs clients, which are pages, the Jupyter server or agents.
 *
 * Invariants: each page that watches the notebook says so in its awareness state, and records the
 * changes made in it. All changes by clients that don't watch are recorded once, by the watching
 * page with the lowest client id.
 */
import type { IAwareness } from '@jupyter/ydoc';

import type { ITransaction } from '../../../cells/transactions';
import {
  Contributor,
  IWriter,
  JUPYTER_SERVER,
  UNKNOWN,
  isAgentName
} from '../../../records/contributor';

/** The field of the awareness state in which a page says that it watches the notebook. */
const FIELD = 'aiserver_watches';

type State = Record<string, unknown>;

export class RemoteWriters {
  constructor(private readonly _awareness: IAwareness) {
    _awareness.setLocalStateField(FIELD, true);
  }

  /** The writer of a remote transaction. */
  of({ beforeState, afterState }: ITransaction): IWriter {
    const clients = [...afterState]
      .filter(([client, clock]) => clock > (beforeState.get(client) ?? 0))
      .map(([client]) => client)
      .filter(client => client !== this._awareness.clientID);
    const contributor = () => this._contributor(clients);
    return {
      key: `remote ${clients.join(' ')}`,
      pending: null,
      mayBePage: this._possibleWriters(clients).some(id =>
        this._isWatching(id)
      ),
      get contributor() {
        return contributor();
      },
      fallback: this._fallback(clients)
    };
  }

  dispose(): void {
    this._awareness.setLocalStateField(FIELD, false);
  }

  /** The contributor of a change by these clients; null if another page records the change. */
  private _contributor(clients: readonly number[]): Contributor | null {
    const writers = this._possibleWriters(clients);
    const isOtherPage = writers.some(id => this._isWatching(id));
    return isOtherPage || !this._isRecorder
      ? null
      : this._contributorOf(clients, writers);
  }

  /**
   * The contributor of a transaction that only deletes, if it turns out that no watching page made
   * it; null if the transaction names its client, or another page records it.
   */
  private _fallback(clients: readonly number[]): Contributor | null {
    const writers = this._otherClients.filter(id => !this._isWatching(id));
    const isAmbiguous =
      !clients.length && writers.length < this._otherClients.length;
    return isAmbiguous && this._isRecorder
      ? this._contributorOf(clients, writers)
      : null;
  }

  private _contributorOf(
    clients: readonly number[],
    writers: readonly number[]
  ): Contributor {
    const states = this._awareness.getStates();
    const contributors = writers
      .map(id => contributorIn(states.get(id)))
      .filter(contributor => contributor !== null);
    if (contributors.length > 1 && !clients.length) {
      return UNKNOWN;
    }
    return contributors[0] ?? { kind: 'program', name: JUPYTER_SERVER };
  }

  /** Whether this page records the changes by clients that don't watch the notebook. */
  private get _isRecorder(): boolean {
    const { clientID } = this._awareness;
    return !this._otherClients.some(
      id => this._isWatching(id) && id < clientID
    );
  }

  private get _otherClients(): number[] {
    const { clientID } = this._awareness;
    return [...this._awareness.getStates().keys()].filter(
      id => id !== clientID
    );
  }

  /** The clients that may have written: all other clients, if the transaction names none. */
  private _possibleWriters(clients: readonly number[]): readonly number[] {
    return clients.length ? clients : this._otherClients;
  }

  private _isWatching(id: number): boolean {
    return this._awareness.getStates().get(id)?.[FIELD] === true;
  }
}

/** The contributor named in a client's state, which can be anything; null if no name is found. */
function contributorIn(state: State | null | undefined): Contributor | null {
  const user = state?.user;
  if (!user || typeof user !== 'object') {
    return null;
  }
  const { agent, display_name, name, username, owner } = user as State;
  const text = (value: unknown) =>
    typeof value === 'string' ? value.trim().slice(0, 256) : '';
  if (text(agent)) {
    return { kind: 'agent', name: text(agent).split('/')[0] };
  }
  const label = [display_name, name, username, owner].map(text).find(Boolean);
  if (!label) {
    return null;
  }
  return { kind: isAgentName(label) ? 'agent' : 'unknown', name: label };
}
