/**
 * The writers of changes that came from elsewhere in a shared notebook (jupyter-collaboration).
 *
 * Invariants: a page that watches records its own changes, and says so in its awareness state. All
 * other changes are recorded once: by the watching page with the lowest client id.
 */
import type { IAwareness } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

import type { ITransaction } from '../../../cells/transactions';
import {
  Contributor,
  IWriter,
  JUPYTER_SERVER,
  UNKNOWN,
  isAgentName
} from '../../../records/contributor';

/** The name under which a page says that it watches. */
const FIELD = 'aiserver_watches';

type State = Record<string, unknown>;

export class RemoteWriters implements IDisposable {
  constructor(private readonly _awareness: IAwareness) {
    _awareness.setLocalStateField(FIELD, true);
  }

  /** The writer of a transaction that is not this page's. */
  of({ beforeState, afterState }: ITransaction): IWriter {
    const clients = [...afterState]
      .filter(([client, clock]) => clock > (beforeState.get(client) ?? 0))
      .map(([client]) => client)
      .filter(client => client !== this._awareness.clientID);
    const contributor = () => this._contributor(clients);
    return {
      key: `remote ${clients.join(' ')}`,
      settled: null,
      isPage: this._writersOf(clients).some(id => this._watches(id)),
      get contributor() {
        return contributor();
      },
      alternative: this._alternative(clients)
    };
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    if (!this._isDisposed) {
      this._isDisposed = true;
      this._awareness.setLocalStateField(FIELD, false);
    }
  }

  /** Null where another page records it. */
  private _contributor(clients: readonly number[]): Contributor | null {
    const writers = this._writersOf(clients);
    const isPages = writers.some(id => this._watches(id));
    return isPages || !this._isFirst ? null : this._named(clients, writers);
  }

  /** Of what only takes away: the contributor if no watching page made it. */
  private _alternative(clients: readonly number[]): Contributor | null {
    const writers = this._others.filter(id => !this._watches(id));
    const isUnsure = !clients.length && writers.length < this._others.length;
    return isUnsure && this._isFirst ? this._named(clients, writers) : null;
  }

  private _named(
    clients: readonly number[],
    writers: readonly number[]
  ): Contributor {
    const states = this._awareness.getStates();
    const named = writers
      .map(id => contributorIn(states.get(id)))
      .filter((one): one is Contributor => one !== null);
    if (named.length > 1 && !clients.length) {
      return UNKNOWN;
    }
    return named[0] ?? { kind: 'program', name: JUPYTER_SERVER };
  }

  /** Whether this page records what no page records. */
  private get _isFirst(): boolean {
    const { clientID } = this._awareness;
    return !this._others.some(id => this._watches(id) && id < clientID);
  }

  private get _others(): number[] {
    const { clientID } = this._awareness;
    return [...this._awareness.getStates().keys()].filter(
      id => id !== clientID
    );
  }

  /** Whoever may have written. What only takes away names no client. */
  private _writersOf(clients: readonly number[]): readonly number[] {
    return clients.length ? clients : this._others;
  }

  private _watches(id: number): boolean {
    return this._awareness.getStates().get(id)?.[FIELD] === true;
  }

  private _isDisposed = false;
}

/** The contributor that a client says it is; null if it says nothing. Anybody may write anything. */
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
  const named = [display_name, name, username, owner].map(text).find(Boolean);
  if (!named) {
    return null;
  }
  return { kind: isAgentName(named) ? 'agent' : 'unknown', name: named };
}
