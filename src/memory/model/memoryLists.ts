/**
 * The lists of the memory view, and the texts that the person is typing in it. `MemoryModel` changes
 * the memories.
 *
 * Invariants:
 * - A failure, or a change by somebody else, never discards text that the person has typed.
 * - While the page is hidden, `refresh` sends no request.
 */
import { VDomModel } from '@jupyterlab/ui-components';

import type { MemoryClient } from '../../api/memoryClient';
import type {
  MemoryEntry,
  MemoryProposal,
  MemoryScope,
  MemorySource
} from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import { Throttle } from '../../state/throttle';
import { IDraft, NO_DRAFT } from './draft';
import { entryName } from '../../prompt/memoryItem';
import { IRow, Section, entryKey, listRows, sectionOf } from './rows';

export type MemoryApi = Pick<
  MemoryClient,
  | 'list'
  | 'add'
  | 'change'
  | 'forget'
  | 'review'
  | 'proposals'
  | 'propose'
  | 'confirm'
  | 'reject'
>;

export type SimilarEntry = MemoryProposal['similar'][number];

/** The result of the last action, which the view reports. */
export type Note =
  | { readonly kind: 'remembered'; readonly scope: MemoryScope }
  /** The proposal was decided in another window, or has expired. */
  | { readonly kind: 'missing' }
  | {
      readonly kind: 'forgotten' | 'replaced';
      /** The entry that was removed, which the person can add again. */
      readonly entry: Pick<MemoryEntry, 'scope' | 'text' | 'source'>;
    };

/** The key of the draft of a new entry. */
export const NEW = 'new-entry';
/** The minimum pause, in milliseconds, between a response and the next request by `refresh`. */
const PAUSE_MS = 5000;

export class MemoryLists extends VDomModel {
  constructor(protected readonly api: MemoryApi) {
    super();
  }

  /** The entries, the project's first; also those that were forgotten while a person edits them. */
  entries: readonly MemoryEntry[] = [];
  /** The texts that wait until the person confirms or rejects them, oldest first. */
  proposals: readonly MemoryProposal[] = [];
  /** The scopes that exist here; empty until the lists are loaded. */
  scopes: readonly MemoryScope[] = [];
  /** The reason why the lists could not be loaded; null if they were. */
  failure: IFailure | null = null;
  /** The memories that are neither used nor changed, because they are no text, too large or links. */
  unreadable: readonly MemoryScope[] = [];
  hasLoaded = false;
  /** The result of the last action; null if there is nothing to report. */
  note: Note | null = null;
  filter = '';
  /** The turn from which the text of the new entry comes; null if the person writes it. */
  newSource: MemorySource | null = null;

  get rows(): IRow[] {
    return listRows(this.proposals, this.entries, this.filter, this._closed);
  }

  /** The entries that came with the project's files, and about which the person hasn't decided. */
  get newEntries(): MemoryEntry[] {
    return this.entries.filter(entry => sectionOf(entry) === 'new');
  }

  /** The entries that models get with requests. */
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
    return this.drafts.get(key) ?? NO_DRAFT;
  }

  /** Set the text that the person types in a row; null ends the edit. */
  edit(key: string, text: string | null): void {
    if (text !== null) {
      this.setDraft(key, { text, failure: null });
    } else {
      if (this.draft(key).isForgotten) {
        this.entries = this.entries.filter(entry => entryKey(entry) !== key);
      }
      this.drafts.delete(key);
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

  /** Show or hide the rows of a section. */
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

  /** Fetch the lists now. */
  load(): Promise<void> {
    return this._throttle.runNow();
  }

  /**
   * Begin a new entry with the text of a turn, for the person to edit. Text that the person has
   * typed already stays above it.
   */
  begin(text: string, source: MemorySource | null): void {
    const typed = this.draft(NEW).text?.trim();
    this.newSource = text.trim() ? source : this.newSource;
    this.edit(NEW, [typed, text.trim()].filter(Boolean).join('\n'));
  }

  override dispose(): void {
    this._throttle.cancel();
    super.dispose();
  }

  private async _load(): Promise<void> {
    const number = ++this._lastLoad;
    try {
      const [list, proposals] = await Promise.all([
        this.api.list(),
        this.api.proposals()
      ]);
      if (number !== this._lastLoad || this.isDisposed) {
        return; // A later request knows more.
      }
      this.failure = null;
      this.hasLoaded = true;
      this.scopes = list.scopes;
      this.unreadable = list.unreadable;
      this._updateProposals(proposals);
      this._updateEntries(list.entries);
    } catch (reason) {
      if (number !== this._lastLoad || this.isDisposed) {
        return;
      }
      this.failure = toFailure(reason);
    }
    this.stateChanged.emit();
  }

  /** Set the list. The typed text of a proposal that is no longer in it becomes a new entry's. */
  private _updateProposals(proposals: readonly MemoryProposal[]): void {
    const ids = new Set(proposals.map(({ id }) => id));
    const missing = this.proposals.filter(({ id }) => !ids.has(id));
    this.proposals = proposals;
    for (const { id, text } of missing) {
      const draft = this.draft(id);
      if (!draft.isSending) {
        this.drafts.delete(id);
        if (draft.text !== null && draft.text !== text) {
          this.note = { kind: 'missing' };
          this.begin(draft.text, null);
        }
      }
    }
  }

  /** Set the list. Mark the entries that were changed or forgotten while the person edits them. */
  private _updateEntries(entries: readonly MemoryEntry[]): void {
    const byKey = new Map(entries.map(entry => [entryKey(entry), entry]));
    const forgotten: MemoryEntry[] = [];
    for (const entry of this.entries) {
      const key = entryKey(entry);
      const draft = this.draft(key);
      const current = byKey.get(key);
      if (draft.text === null || draft.isSending) {
        continue;
      }
      if (!current) {
        forgotten.push(entry);
        this.setDraft(key, { isForgotten: true, failure: null });
      } else if (current.text !== entry.text) {
        const newerText = current.text;
        this.setDraft(key, { newerText, isForgotten: false, failure: null });
      } else {
        this.setDraft(key, { isForgotten: false });
      }
    }
    this.entries = [...entries, ...forgotten];
  }

  protected setDraft(key: string, change: Partial<IDraft>): void {
    this.drafts.set(key, { ...this.draft(key), ...change });
  }

  protected readonly drafts = new Map<string, IDraft>();
  private readonly _closed = new Set<Section>(['declined']);
  private readonly _throttle = new Throttle(() => this._load(), PAUSE_MS);
  private _lastLoad = 0;
}
