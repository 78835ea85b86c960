/**
 * The writers of remote changes in a shared notebook (jupyter-collaboration).
 *
 * Invariants: a watching page records its own changes, and announces this in its awareness state.
 * All other changes are recorded once, by the watching page with the lowest client id.
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

/** The field of the awareness state in which a page announces that it watches. */
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
      isPage: this._writersOf(clients).some(id => this._watches(id)),
      get contributor() {
        return contributor();
      },
      alternative: this._alternative(clients)
    };
  }

  dispose(): void {
    this._awareness.setLocalStateField(FIELD, false);
  }

  /** The contributor; null if another page records the change. */
  private _contributor(clients: readonly number[]): Contributor | null {
    const writers = this._writersOf(clients);
    const isOtherPage = writers.some(id => this._watches(id));
    return isOtherPage || !this._isRecorder
      ? null
      : this._contributorOf(clients, writers);
  }

  /** The contributor of a pure deletion in case that no watching page made it. */
  private _alternative(clients: readonly number[]): Contributor | null {
    const writers = this._others.filter(id => !this._watches(id));
    const isAmbiguous = !clients.length && writers.length < this._others.length;
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

  /** Whether this page records the changes that no page makes. */
  private get _isRecorder(): boolean {
    const { clientID } = this._awareness;
    return !this._others.some(id => this._watches(id) && id < clientID);
  }

  private get _others(): number[] {
    const { clientID } = this._awareness;
    return [...this._awareness.getStates().keys()].filter(
      id => id !== clientID
    );
  }

  /** The possible writers. A pure deletion names no client. */
  private _writersOf(clients: readonly number[]): readonly number[] {
    return clients.length ? clients : this._others;
  }

  private _watches(id: number): boolean {
    return this._awareness.getStates().get(id)?.[FIELD] === true;
  }
}

/** The contributor named in a client's state, which may contain anything; null if there is none. */
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
