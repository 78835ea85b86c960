/**
 * Finds the writers of remote changes in a shared notebook (jupyter-collaboration): changes by
 * another Yjs client, such as another page, the Jupyter server or an agent.
 *
 * Invariants:
 * - Each page that watches the notebook says so in its Yjs awareness state, and records all changes
 *   that are made in the page.
 * - Clients that don't watch record nothing. The watching page with the lowest client id records
 *   their changes.
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

/** The field of a page's awareness state that is true while it watches the notebook. */
const FIELD = 'aiserver_watches';

type State = Record<string, unknown>;

export class RemoteWriters {
  constructor(private readonly _awareness: IAwareness) {
    _awareness.setLocalStateField(FIELD, true);
  }

  /**
   * Return the writer of a remote transaction. Its `contributor` is determined at each reading,
   * because other pages may start or stop watching.
   */
  writerOf({ beforeState, afterState }: ITransaction): IWriter {
    // A client's clock increases with each transaction in which it inserts something.
    const clients = [...afterState]
      .filter(([client, clock]) => clock > (beforeState.get(client) ?? 0))
      .map(([client]) => client)
      .filter(client => client !== this._awareness.clientID);
    const contributor = () => this._contributor(clients);
    return {
      key: `remote ${clients.join(' ')}`,
      pending: null,
      mayBeOtherPage: this._possibleWriters(clients).some(id =>
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

  /**
   * Null if another page records, or may record, the change.
   *
   * @param clients The clients that inserted something in the transaction. One that only deletes
   * names none.
   */
  private _contributor(clients: readonly number[]): Contributor | null {
    const writers = this._possibleWriters(clients);
    const mayBeOtherPage = writers.some(id => this._isWatching(id));
    return mayBeOtherPage || !this._isRecorder
      ? null
      : this._contributorFromStates(clients, writers);
  }

  /**
   * Return the contributor to record for a deletion that no page has recorded after some time; see
   * `UnclaimedDeletions`.
   *
   * Null if this page never records it:
   * - The transaction names its clients, so there is no doubt who made it.
   * - No other page watches the notebook, so this page records the deletion at once.
   * - Another page records the changes by clients that don't watch.
   */
  private _fallback(clients: readonly number[]): Contributor | null {
    const writers = this._otherClients.filter(id => !this._isWatching(id));
    const isAmbiguous =
      !clients.length && writers.length < this._otherClients.length;
    return isAmbiguous && this._isRecorder
      ? this._contributorFromStates(clients, writers)
      : null;
  }

  /**
   * Return the contributor that the possible writers' awareness states name; without one, the
   * Jupyter server. If they name several and the transaction names no client, return `UNKNOWN`.
   */
  private _contributorFromStates(
    clients: readonly number[],
    writers: readonly number[]
  ): Contributor {
    const states = this._awareness.getStates();
    const contributors = writers
      .map(id => contributorIn(states.get(id)))
      .filter(contributor => contributor !== null);
    // Any of these contributors may have made it.
    if (contributors.length > 1 && !clients.length) {
      return UNKNOWN;
    }
    return contributors[0] ?? { kind: 'program', name: JUPYTER_SERVER };
  }

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

  private _possibleWriters(clients: readonly number[]): readonly number[] {
    return clients.length ? clients : this._otherClients;
  }

  private _isWatching(id: number): boolean {
    return this._awareness.getStates().get(id)?.[FIELD] === true;
  }
}

/** Null if a client's awareness state names none. Other programs may set invalid values. */
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
