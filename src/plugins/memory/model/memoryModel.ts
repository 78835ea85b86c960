/**
 * The model of the memory view: its lists, the texts that the person is typing in it, and what the
 * person does with entries and proposals.
 *
 * Invariants:
 * - Nothing is remembered, changed or forgotten except by a method that the person calls.
 * - A failure, or a change by somebody else, never discards typed text.
 * - While the page is hidden, `refresh` sends no request.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { MemoryClient } from '../../../api/memoryClient';
import type {
  MemoryEntry,
  MemoryProposal,
  MemoryScope,
  MemorySource
} from '../../../api/types';
import { entryName } from '../../../prompt/memoryItem';
import { IFailure, toFailure } from '../../../state/failure';
import { Throttle } from '../../../state/throttle';
import { IRow, Section, listRows, sectionOf } from './rows';

export type MemoryApi = Omit<MemoryClient, 'pastAnswer'>;

export type SimilarEntry = MemoryProposal['similar'][number];

/** The result of the last action, which the view reports. */
export type Note =
  | { readonly kind: 'remembered'; readonly scope: MemoryScope }
  /** The proposal was decided in another window, or has expired. */
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'forgotten' | 'replaced';
      /** The removed entry, which the person can add again. */
      readonly entry: Pick<MemoryEntry, 'scope' | 'text' | 'source'>;
    };

export const NEW = 'new-entry';
/** The minimum pause between a response and the next request by `refresh`. */
const PAUSE_MS = 5000;

/** A text that a person is editing or deciding about. */
export interface IDraft {
  /** The typed text; null if the text isn't being edited. */
  readonly text: string | null;
  /** Whether a request about the text is running. */
  readonly isSending: boolean;
  /** Why the last request failed, or null. */
  readonly failure: IFailure | null;
  /** A newer text that somebody else has stored meanwhile, or null. */
  readonly newerText: string | null;
  /** Whether the entry was forgotten meanwhile, so that saving adds it again. */
  readonly isForgotten: boolean;
}

const NO_DRAFT: IDraft = {
  text: null,
  isSending: false,
  failure: null,
  newerText: null,
  isForgotten: false
};

export const UNDO = 'undo';
/** In characters, as in `aiserver/plugins/memory/limits.py`. */
const MAX_TEXT = 500;

export class MemoryModel extends VDomModel {
  constructor(private readonly _api: MemoryApi) {
    super();
  }

  /** The project's first; also entries that were forgotten while a person edits them. */
  entries: readonly MemoryEntry[] = [];
  /** The texts that wait until the person confirms or rejects them, oldest first. */
  proposals: readonly MemoryProposal[] = [];
  /** The scopes that exist here; empty until the lists are loaded. */
  scopes: readonly MemoryScope[] = [];
  /** Why the lists could not be loaded, or null. */
  failure: IFailure | null = null;
  /**
   * The memories that are neither used nor changed, because they are no text, too large or links.
   */
  unreadable: readonly MemoryScope[] = [];
  hasLoaded = false;
  /** Null if there is nothing to report. */
  note: Note | null = null;
  filter = '';
  /** The turn from which the new entry's text comes; null if the person writes it. */
  newSource: MemorySource | null = null;

  get rows(): IRow[] {
    return listRows(this.proposals, this.entries, this.filter, this._closed);
  }

  /** The entries that came with the project's files, and on which the person hasn't decided. */
  get newEntries(): MemoryEntry[] {
    return this.entries.filter(entry => sectionOf(entry) === 'new');
  }

  get usedEntries(): MemoryEntry[] {
    return this.entries.filter(entry =>
      ['project', 'person'].includes(sectionOf(entry))
    );
  }

  /** The number of proposals and new entries, which wait for the person. */
  get waitingCount(): number {
    return this.proposals.length + this.newEntries.length;
  }

  draft(key: string): IDraft {
    return this._drafts.get(key) ?? NO_DRAFT;
  }

  /** Set the typed text of a row; null ends the edit. */
  edit(key: string, text: string | null): void {
    if (text !== null) {
      this._setDraft(key, { text, failure: null });
    } else {
      if (this.draft(key).isForgotten) {
        this.entries = this.entries.filter(entry => entryName(entry) !== key);
      }
      this._drafts.delete(key);
      this.newSource = key === NEW ? null : this.newSource;
    }
    this.stateChanged.emit();
  }

  /** Show only the entry with a name such as `project:3f9c2a41b07d`, if it still exists. */
  showEntry(name: string): void {
    const entry = this.entries.find(other => entryName(other) === name);
    if (entry) {
      this.setFilter(entry.text.split('\n')[0]);
    }
  }

  setFilter(filter: string): void {
    this.filter = filter;
    this.stateChanged.emit();
  }

  toggle(section: Section): void {
    if (!this._closed.delete(section)) {
      this._closed.add(section);
    }
    this.stateChanged.emit();
  }

  clearNote(): void {
    this.note = null;
    this.stateChanged.emit();
  }

  /** Fetch the lists again soon, unless the page is hidden. */
  refresh(): void {
    if (!this.isDisposed && document.visibilityState !== 'hidden') {
      this._throttle.trigger();
    }
  }

  load(): Promise<void> {
    return this._throttle.runNow();
  }

  /**
   * Begin a new entry with the text of a turn, for the person to edit. Already typed text stays
   * above it.
   */
  begin(text: string, source: MemorySource | null): void {
    const typed = this.draft(NEW).text?.trim();
    this.newSource = text.trim() ? source : this.newSource;
    this.edit(NEW, [typed, text.trim()].filter(Boolean).join('\n'));
  }

  add(scope: MemoryScope): Promise<boolean> {
    const text = this.draft(NEW).text?.trim();
    const source = this.newSource;
    return this._act(NEW, !!text, async () => {
      await this._api.add({ scope, text: text!, source });
      this.newSource = null;
      this.note = { kind: 'remembered', scope };
    });
  }

  async propose(text: string, source: MemorySource | null): Promise<string> {
    if (!this.hasLoaded) {
      await this.load();
    }
    const scope = this.scopes[0] ?? 'person';
    const body = { scope, text, origin: 'request', source } as const;
    const proposal = await this._api.propose(body);
    // Even if the lists can't be fetched now, the proposal is listed.
    const others = this.proposals.filter(({ id }) => id !== proposal.id);
    this.proposals = [...others, proposal];
    this.stateChanged.emit();
    void this.load();
    return proposal.id;
  }

  /**
   * Remember a proposal, with the person's changes. With `replaced`, forget this similar entry,
   * which has the same scope.
   */
  confirm(
    proposal: MemoryProposal,
    scope: MemoryScope,
    replaced: SimilarEntry | null = null
  ): Promise<boolean> {
    const { id } = proposal;
    const { text } = this.draft(id);
    return this._act(id, text === null || !!text.trim(), async () => {
      const replaces = replaced?.id ?? null;
      const body = { text: text?.trim(), scope, replaces };
      // Another window may have confirmed it first, for another scope.
      const remembered = await this._api.confirm(id, body);
      const entry = replaced && {
        source: null,
        ...replaced,
        ...this.entries.find(other => entryName(other) === entryName(replaced))
      };
      this.note = entry
        ? { kind: 'replaced', entry }
        : { kind: 'remembered', scope: remembered.scope };
    });
  }

  /** Oldest first; stop at the first failure. */
  async confirmAll(scope: MemoryScope): Promise<boolean> {
    for (const proposal of this.proposals) {
      if (!(await this.confirm(proposal, scope))) {
        return false;
      }
    }
    return true;
  }

  reject({ id }: MemoryProposal): Promise<boolean> {
    return this._act(id, true, async () => {
      await this._api.reject(id);
      this.note = null;
    });
  }

  /** Choose whether entries of the project's memory are used. `key` is the row of the button. */
  review(
    entries: readonly MemoryEntry[],
    used: boolean,
    key = entryName(entries[0])
  ): Promise<boolean> {
    return this._act(key, true, async () => {
      const digests = entries.map(({ digest }) => digest);
      await this._api.review(digests, used);
      this.note = null;
    });
  }

  /** Save the typed text. If the entry was forgotten, add it as a new one. */
  save(entry: MemoryEntry): Promise<boolean> {
    const key = entryName(entry);
    const draft = this.draft(key);
    const text = draft.text?.trim();
    return this._act(key, !!text, async () => {
      if (draft.isForgotten) {
        await this._api.add({ scope: entry.scope, text: text! });
      } else if (text !== entry.text) {
        await this._api.change(entry, text!);
      }
      this.note = null;
    });
  }

  forget(entry: MemoryEntry): Promise<boolean> {
    return this._act(entryName(entry), true, async () => {
      await this._api.forget(entry);
      this.note = { kind: 'forgotten', entry };
    });
  }

  async undo(): Promise<void> {
    const { note } = this;
    if (note && 'entry' in note) {
      const { scope, text, source: stored } = note.entry;
      const source = stored && {
        notebookId: stored.notebook_id,
        cellId: stored.cell_id,
        turnId: stored.turn_id
      };
      await this._act(UNDO, true, async () => {
        await this._api.add({ scope, text, source });
        this.note = { kind: 'remembered', scope };
      });
    }
  }

  override dispose(): void {
    this._throttle.cancel();
    super.dispose();
  }

  /**
   * Run a row's action, unless another one of the row is running, then fetch the lists. If it
   * succeeds, end the row's edit. Return whether it succeeded.
   */
  private async _act(
    key: string,
    isPossible: boolean,
    action: () => Promise<void>
  ): Promise<boolean> {
    if (!isPossible || this.draft(key).isSending) {
      return false;
    }
    this._setDraft(key, { isSending: true, failure: null });
    this.stateChanged.emit();
    let failure: IFailure | null = null;
    try {
      await action();
      this._drafts.delete(key);
    } catch (reason) {
      failure = toFailure(reason);
      this._setDraft(key, { isSending: false, failure });
      if (failure.code === 'proposal_not_found') {
        this.note = { kind: 'missing' };
      }
    }
    await this.load();
    return !failure;
  }

  private async _load(): Promise<void> {
    const number = ++this._lastLoad;
    const requests = [this._api.list(), this._api.proposals()] as const;
    const results = await Promise.all(requests).catch(toFailure);
    if (number !== this._lastLoad || this.isDisposed) {
      return; // A later request knows more.
    }
    if ('length' in results) {
      const [list, proposals] = results;
      this.failure = null;
      this.hasLoaded = true;
      this.scopes = list.scopes;
      this.unreadable = list.unreadable;
      this._updateProposals(proposals);
      this._updateEntries(list.entries);
    } else {
      this.failure = results;
    }
    this.stateChanged.emit();
  }

  /** The typed text of a proposal that is no longer in the list becomes a new entry's. */
  private _updateProposals(proposals: readonly MemoryProposal[]): void {
    const ids = new Set(proposals.map(({ id }) => id));
    const missing = this.proposals.filter(({ id }) => !ids.has(id));
    this.proposals = proposals;
    for (const { id, text } of missing) {
      const draft = this.draft(id);
      if (draft.isSending) {
        continue;
      }
      this._drafts.delete(id);
      if (draft.text !== null && draft.text !== text) {
        this.note = { kind: 'missing' };
        this.begin(draft.text, null);
      }
    }
  }

  /** Mark the entries that were changed or forgotten while the person edits them. */
  private _updateEntries(entries: readonly MemoryEntry[]): void {
    const byKey = new Map(entries.map(entry => [entryName(entry), entry]));
    const forgotten: MemoryEntry[] = [];
    for (const entry of this.entries) {
      const key = entryName(entry);
      const draft = this.draft(key);
      const current = byKey.get(key);
      if (draft.text === null || draft.isSending) {
        continue;
      }
      this._setDraft(key, { isForgotten: !current });
      if (!current) {
        forgotten.push(entry);
        this._setDraft(key, { failure: null });
      } else if (current.text !== entry.text) {
        this._setDraft(key, { newerText: current.text, failure: null });
      }
    }
    this.entries = [...entries, ...forgotten];
  }

  private _setDraft(key: string, change: Partial<IDraft>): void {
    this._drafts.set(key, { ...this.draft(key), ...change });
  }

  private readonly _drafts = new Map<string, IDraft>();
  private readonly _closed = new Set<Section>(['declined']);
  private readonly _throttle = new Throttle(() => this._load(), PAUSE_MS);
  private _lastLoad = 0;
}

/** Return whether a removed entry can be added again as it was. */
export function canAddAgain({ text }: Pick<MemoryEntry, 'text'>): boolean {
  return [...text].length <= MAX_TEXT && !text.includes('\n');
}
