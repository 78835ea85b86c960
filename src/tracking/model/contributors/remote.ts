/**
 * Finds the writers of remote changes in a shared notebook (jupyter-collaboration). A change is
 * remote if another Yjs client made it: another page, the Jupyter server or an agent.
 *
 * Invariants:
 * - Each page that watches the notebook announces this in its Yjs awareness state. Such a page
 *   records all changes that are made in the page itself.
 * - Clients that don't watch the notebook record nothing. Their changes are recorded once: by the
 *   watching page with the lowest client id.
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

/** The field of a page's awareness state that is true while the page watches the notebook. */
const FIELD = 'aiserver_watches';

type State = Record<string, unknown>;

export class RemoteWriters {
  constructor(private readonly _awareness: IAwareness) {
    _awareness.setLocalStateField(FIELD, true);
  }

  /**
   * Return the writer of a remote transaction. The writer's `contributor` is determined anew each
   * time it is read, because other pages may start or stop watching the notebook.
   */
  writerOf({ beforeState, afterState }: ITransaction): IWriter {
    // The clock of a client increases with each transaction in which the client inserts something.
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
   * Return the contributor of a change by these clients; null if another page records, or may
   * record, the change.
   *
   * @param clients The ids of the clients that the transaction names, because they inserted
   * something in it. A transaction that only deletes names no clients.
   */
  private _contributor(clients: readonly number[]): Contributor | null {
    const writers = this._possibleWriters(clients);
    const mayBeOtherPage = writers.some(id => this._isWatching(id));
    return mayBeOtherPage || !this._isRecorder
      ? null
      : this._contributorFromStates(clients, writers);
  }

  /**
   * Return the contributor that this page records for an unclaimed deletion. A deletion is
   * unclaimed if no page has recorded it after some time; see `UnclaimedDeletions`.
   *
   * Return null if this page never records the deletion, in three cases:
   * - The transaction names its clients, so there is no doubt who made it.
   * - No other page watches the notebook, so this page records the deletion at once.
   * - Another page is the one that records the changes by clients that don't watch.
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
   * Return the contributor that the awareness states of the possible writers name. If they name
   * none, return the Jupyter server. If they name several and the transaction names no client,
   * return `UNKNOWN`.
   */
  private _contributorFromStates(
    clients: readonly number[],
    writers: readonly number[]
  ): Contributor {
    const states = this._awareness.getStates();
    const contributors = writers
      .map(id => contributorIn(states.get(id)))
      .filter(contributor => contributor !== null);
    // If the transaction names no client, any of these contributors may have made it.
    if (contributors.length > 1 && !clients.length) {
      return UNKNOWN;
    }
    return contributors[0] ?? { kind: 'program', name: JUPYTER_SERVER };
  }

  /** Whether this page has to record the changes by clients that don't watch. */
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

  /**
   * Return the ids of the clients that may have made a transaction. These are the clients that the
   * transaction names or, if it names none, all clients except this page.
   */
  private _possibleWriters(clients: readonly number[]): readonly number[] {
    return clients.length ? clients : this._otherClients;
  }

  private _isWatching(id: number): boolean {
    return this._awareness.getStates().get(id)?.[FIELD] === true;
  }
}

/**
 * Return the contributor that a client's awareness state names; null if the state names none. Other
 * programs may set invalid values in the state.
 */
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
