/**
 * The model of the memory view: what the person does with entries and proposals.
 *
 * Invariant: nothing is remembered, changed or forgotten except by a method that the person calls.
 */
import type {
  MemoryEntry,
  MemoryProposal,
  MemoryScope,
  MemorySource
} from '../../api/types';
import { IFailure, toFailure } from '../../state/failure';
import { MemoryLists, NEW, SimilarEntry } from './memoryLists';
import { entryKey } from './rows';

/** The key of the action that adds an entry again. */
export const UNDO = 'undo';

/** The longest text of a new entry, in characters, as in `aiserver/memory/limits.py`. */
const MAX_TEXT = 500;

export class MemoryModel extends MemoryLists {
  /** Remember the text of the new entry. */
  add(scope: MemoryScope): Promise<boolean> {
    const text = this.draft(NEW).text?.trim();
    const source = this.newSource;
    return this._act(NEW, !!text, async () => {
      await this.api.add({ scope, text: text!, source });
      this.newSource = null;
      this.note = { kind: 'remembered', scope };
    });
  }

  /** Store a text that a request asks to remember; return the id of the proposal. */
  async propose(text: string, source: MemorySource | null): Promise<string> {
    if (!this.hasLoaded) {
      await this.load();
    }
    const scope = this.scopes[0] ?? 'person';
    const body = { scope, text, origin: 'request', source } as const;
    const proposal = await this.api.propose(body);
    // Even if the lists can't be fetched now, the proposal is listed.
    const others = this.proposals.filter(({ id }) => id !== proposal.id);
    this.proposals = [...others, proposal];
    this.stateChanged.emit();
    void this.load();
    return proposal.id;
  }

  /**
   * Remember a proposal, with the typed text if the person has edited it. With `replaced`, forget
   * this similar entry, which has the same scope.
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
      const remembered = await this.api.confirm(id, body);
      const entry = replaced && {
        source: null,
        ...replaced,
        ...this.entries.find(other => entryKey(other) === entryKey(replaced))
      };
      this.note = entry
        ? { kind: 'replaced', entry }
        : { kind: 'remembered', scope: remembered.scope };
    });
  }

  /** Remember all proposals that wait, oldest first; stop at the first failure. */
  async confirmAll(scope: MemoryScope): Promise<boolean> {
    for (const proposal of this.proposals) {
      if (!(await this.confirm(proposal, scope))) {
        return false;
      }
    }
    return true;
  }

  /** Remove a proposal. */
  reject({ id }: MemoryProposal): Promise<boolean> {
    return this._act(id, true, async () => {
      await this.api.reject(id);
      this.note = null;
    });
  }

  /** Use entries of the project's memory from now on, or don't. `key` is the row of the button. */
  review(
    entries: readonly MemoryEntry[],
    used: boolean,
    key = entryKey(entries[0])
  ): Promise<boolean> {
    return this._act(key, true, async () => {
      const digests = entries.map(({ digest }) => digest);
      await this.api.review(digests, used);
      this.note = null;
    });
  }

  /** Save the typed text of an entry. If the entry was forgotten, add the text as a new one. */
  save(entry: MemoryEntry): Promise<boolean> {
    const key = entryKey(entry);
    const draft = this.draft(key);
    const text = draft.text?.trim();
    return this._act(key, !!text, async () => {
      if (draft.isForgotten) {
        await this.api.add({ scope: entry.scope, text: text! });
      } else if (text !== entry.text) {
        await this.api.change(entry, text!);
      }
      this.note = null;
    });
  }

  forget(entry: MemoryEntry): Promise<boolean> {
    return this._act(entryKey(entry), true, async () => {
      await this.api.forget(entry);
      this.note = { kind: 'forgotten', entry };
    });
  }

  /** Add the entry again that the last action has removed. */
  async undo(): Promise<void> {
    const { note } = this;
    if (note && 'entry' in note) {
      const { scope, text, source } = note.entry;
      await this._act(UNDO, true, async () => {
        const body = { scope, text, source: source && toBody(source) };
        await this.api.add(body);
        this.note = { kind: 'remembered', scope };
      });
    }
  }

  /**
   * Run a row's action, unless another one of the row is running, then fetch the lists. If the
   * action succeeds, end the row's edit. Return whether it succeeded.
   */
  private async _act(
    key: string,
    isPossible: boolean,
    action: () => Promise<void>
  ): Promise<boolean> {
    if (!isPossible || this.draft(key).isSending) {
      return false;
    }
    this.setDraft(key, { isSending: true, failure: null });
    this.stateChanged.emit();
    let failure: IFailure | null = null;
    try {
      await action();
      this.drafts.delete(key);
    } catch (reason) {
      failure = toFailure(reason);
      this.setDraft(key, { isSending: false, failure });
      if (failure.code === 'proposal_not_found') {
        this.note = { kind: 'missing' };
      }
    }
    await this.load();
    return !failure;
  }
}

/** Return whether an entry that was removed can be added again as it was. */
export function canAddAgain({ text }: Pick<MemoryEntry, 'text'>): boolean {
  return [...text].length <= MAX_TEXT && !text.includes('\n');
}

function toBody({
  notebook_id,
  cell_id,
  turn_id
}: NonNullable<MemoryEntry['source']>): MemorySource {
  return { notebookId: notebook_id, cellId: cell_id, turnId: turn_id };
}
