/** A server with two memories, which decides as the real one does. */
import { ApiError } from '../../../api/request';
import type { MemoryEntry, MemoryProposal } from '../../../api/types';
import type { MemoryApi } from './memoryModel';

let lastId = 0;
const newId = () => (++lastId).toString(16).padStart(12, '0');

/** As the server stores it. */
const stored = (source: Parameters<MemoryApi['add']>[0]['source']) =>
  source
    ? {
        notebook_id: source.notebookId,
        cell_id: source.cellId,
        turn_id: source.turnId ?? 0
      }
    : null;

export function entryOf(
  text: string,
  fields: Partial<MemoryEntry> = {}
): MemoryEntry {
  const digest = newId().padStart(64, '0');
  return {
    id: newId(),
    scope: 'project',
    text,
    date: '2026-11-27',
    section: '',
    source: null,
    digest,
    review: 'used',
    ...fields
  };
}

export function proposalOf(
  text: string,
  fields: Partial<MemoryProposal> = {}
): MemoryProposal {
  return {
    id: newId(),
    scope: 'project',
    text,
    origin: 'request',
    created_at: Date.now() / 1000,
    expires_at: Date.now() / 1000 + 24 * 3600,
    source: null,
    similar: [],
    ...fields
  };
}

export class FakeMemory implements MemoryApi {
  entries: MemoryEntry[] = [];
  waiting: MemoryProposal[] = [];
  /** The called methods that change something. */
  calls: string[] = [];
  listCount = 0;
  /** Thrown by the next call. */
  failure: Error | null = null;

  async list() {
    this.listCount++;
    this._fail();
    const scopes: ('project' | 'person')[] = ['project', 'person'];
    const entries = this.entries.map(entry => ({ ...entry }));
    return { scopes, unreadable: [], entries };
  }

  async proposals() {
    return [...this.waiting];
  }

  async add({ scope, text, source }: Parameters<MemoryApi['add']>[0]) {
    this._call(`add ${scope}: ${text}`);
    const entry = entryOf(text, {
      scope,
      source: stored(source)
    });
    this.entries.push(entry);
    return entry;
  }

  async change(entry: MemoryEntry, text: string) {
    this._call(`change: ${text}`);
    const stored = this._stored(entry);
    if (stored.text !== entry.text) {
      throw new ApiError(412, 'memory_entry_changed', 'changed');
    }
    stored.text = text;
    return stored;
  }

  async forget(entry: Pick<MemoryEntry, 'scope' | 'id'>) {
    this._call('forget');
    const stored = this._stored(entry);
    this.entries = this.entries.filter(other => other !== stored);
    return { deleted_prompts: 0 };
  }

  async review(digests: string[], used: boolean) {
    this._call(`review ${digests.length} ${used}`);
    this.entries = this.entries.map(entry =>
      digests.includes(entry.digest)
        ? { ...entry, review: used ? 'used' : 'declined' }
        : entry
    );
  }

  async propose({
    text,
    origin,
    source
  }: Parameters<MemoryApi['propose']>[0]): Promise<MemoryProposal> {
    this._call(`propose ${origin}: ${text}`);
    const same = this.waiting.find(other => other.text === text);
    const proposal =
      same ??
      proposalOf(text, {
        source: stored(source)
      });
    this.waiting = same ? this.waiting : [...this.waiting, proposal];
    return proposal;
  }

  async confirm(
    id: string,
    { text, scope, replaces }: Parameters<MemoryApi['confirm']>[1]
  ) {
    const proposal = this._take(id, 'confirm');
    this.entries = this.entries.filter(entry => entry.id !== replaces);
    const entry = entryOf(text ?? proposal.text, { id, scope: scope! });
    this.entries.push(entry);
    return entry;
  }

  async reject(id: string) {
    this._take(id, 'reject');
  }

  private _take(id: string, call: string): MemoryProposal {
    this._call(call);
    const proposal = this.waiting.find(other => other.id === id);
    if (!proposal) {
      throw new ApiError(404, 'proposal_not_found', 'not found');
    }
    this.waiting = this.waiting.filter(other => other !== proposal);
    return proposal;
  }

  private _stored({
    scope,
    id
  }: Pick<MemoryEntry, 'scope' | 'id'>): MemoryEntry {
    const entry = this.entries.find(
      other => other.scope === scope && other.id === id
    );
    if (!entry) {
      throw new ApiError(404, 'not_found', 'not found');
    }
    return entry;
  }

  private _call(name: string): void {
    this._fail();
    this.calls.push(name);
  }

  private _fail(): void {
    const { failure } = this;
    this.failure = null;
    if (failure) {
      throw failure;
    }
  }
}
