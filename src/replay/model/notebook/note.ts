/**
 * The note of a notebook: a few short sentences about its purpose, which requests contain.
 *
 * Invariants:
 * - The server makes the note from the notebook's cells, at most once in `CHECK_MS` per notebook:
 *   when the notebook tab is opened, and after an answer was accepted; never while a person types.
 * - A failure, or a newer note, never discards text that the person has typed.
 */
import type { NoteClient } from '../../../api/noteClient';
import type { Note, NoteCell, NoteResult } from '../../../api/types';
import { IFailure, toFailure } from '../../../state/failure';
import { isForbidden } from '../../../state/features';
import type { IHistory, IQueuedEvents } from '../../../tokens';
import type { IReplaySubject } from '../activeCell';
import { LoadedModel } from '../loadedModel';

export type NoteApi = Pick<NoteClient, 'get' | 'update' | 'change' | 'delete'>;

/** The person's setting: notes without a model, notes that a local model words, or none. */
export type NoteMode = 'outline' | 'model' | 'off';

const CHECK_MS = 5 * 60_000;
const PAUSE_MS = 4000;
const MAX_CELLS = 1000;
/** The longest part of a cell that is sent, and of all cells together, in characters. */
const MAX_SOURCE = 4000;
const MAX_SOURCES = 400_000;
function isRefusal(reason: unknown): boolean {
  return ['not_owner', 'feature_forbidden'].includes(toFailure(reason).code);
}

/** The text that the person is typing, and the state of the last action. */
const NO_DRAFT = {
  text: null as string | null,
  base: '',
  /** The newer text of the note, if it has changed since; null if it hasn't. */
  newerText: null as string | null,
  isSending: false,
  failure: null as IFailure | null
};
type NoteDraft = Readonly<typeof NO_DRAFT>;

export class NotebookNote extends LoadedModel {
  constructor(
    subject: IReplaySubject,
    history: IHistory,
    private readonly _api: NoteApi | null
  ) {
    super(subject, history, PAUSE_MS);
    history.eventsQueued.connect(this._onEventsQueued, this);
  }

  get mode(): NoteMode {
    return this._mode;
  }
  set mode(value: NoteMode) {
    if (value !== this._mode) {
      this._mode = value;
      this._checkTimes.clear();
      if (!this.loadIfOutdated()) {
        this.stateChanged.emit();
      }
    }
  }

  get isShown(): boolean {
    return this.target !== null && !this._hasNoNotes;
  }

  get hasLoaded(): boolean {
    return this._notebookId !== null && this._notebookId === this.target;
  }

  get note(): Note | null {
    return this.hasLoaded ? this._note : null;
  }

  get draft(): NoteDraft {
    return this._drafts.get(this.target ?? '') ?? NO_DRAFT;
  }

  get canUndo(): boolean {
    return this._replaced !== null && this._replaced.id === this.target;
  }

  edit(text: string | null): void {
    const id = this.target;
    if (id === null) {
      return;
    }
    if (text === null) {
      this._drafts.delete(id);
    } else {
      const base =
        this.draft.text === null ? (this.note?.text ?? '') : this.draft.base;
      this._setDraft(id, { text, base, failure: null });
    }
    this.stateChanged.emit();
  }

  async save(): Promise<boolean> {
    const { text, base, newerText } = this.draft;
    if (!text?.trim()) {
      return false;
    }
    if (text.trim() === (newerText ?? base)) {
      this.edit(null);
      return true;
    }
    const body = { text: text.trim(), expected: newerText ?? base };
    return this._act(null, id => this._api!.change(id, body));
  }

  setUsed(used: boolean): Promise<boolean> {
    return this._act(this._replaced, id => this._api!.change(id, { used }));
  }

  /** Make the note again from the notebook, also if the person has written or deleted it. */
  writeAgain(): Promise<boolean> {
    return this._act(this._current(), id => this._update(id, true));
  }

  delete(): Promise<boolean> {
    return this._act(this._current(), async id => {
      await this._api!.delete(id);
      const deleted = { note: null, being_worded: false };
      return this._api!.get(id).catch(() => deleted);
    });
  }

  /** Restore the note that the last action has replaced or deleted, with its author. */
  async undo(): Promise<boolean> {
    const replaced = this._replaced;
    if (!replaced || !this.canUndo) {
      return false;
    }
    const expected = this.note?.text ?? '';
    const body = { text: replaced.text, expected, undo: true };
    return this._act(null, id => this._api!.change(id, body));
  }

  protected get target(): string | null {
    const isOn =
      this._api !== null && this._mode !== 'off' && !isForbidden('memory');
    return isOn ? this.subject.notebookId : null;
  }

  protected async fetch(): Promise<() => void> {
    const id = this.target;
    if (id === null || this._hasNoNotes) {
      return () => undefined;
    }
    try {
      const result = await (this._isDue(id)
        ? this._update(id)
        : this._api!.get(id));
      return () => this._show(id, result);
    } catch (reason) {
      if (!isRefusal(reason)) {
        throw reason;
      }
      return () => (this._hasNoNotes = true);
    }
  }

  /** A note isn't made from histories, so it doesn't change with them. */
  protected override onHistoryChanged(): void {
    return;
  }

  private _isDue(id: string): boolean {
    const time = this._checkTimes.get(id);
    return time === undefined || Date.now() - time >= CHECK_MS;
  }

  private async _update(id: string, again = false): Promise<NoteResult> {
    this._checkTimes.set(id, Date.now());
    const body = {
      cells: toNoteCells(this.subject.allSources()),
      ...(again && { again, expected: this.note?.text ?? '' }),
      usesModel: this._mode === 'model'
    };
    try {
      return await this._api!.update(id, body);
    } catch (reason) {
      this._checkTimes.delete(id);
      throw reason;
    }
  }

  /** After an answer was accepted, check the note, also while the view is hidden. */
  private _onEventsQueued(_: IHistory, { key, events }: IQueuedEvents): void {
    const id = this.target;
    const isAccept = events.some(({ type }) => type === 'accept');
    if (
      isAccept &&
      id !== null &&
      id === key.notebookId &&
      !this._hasNoNotes &&
      this._isDue(id)
    ) {
      void this._update(id).then(
        result => this._show(id, result),
        // After another failure, opening the notebook tab tries again.
        reason => (this._hasNoNotes ||= isRefusal(reason))
      );
    }
  }

  private _show(id: string, { note, being_worded }: NoteResult): void {
    if (this.isDisposed || id !== this.target) {
      return;
    }
    this._notebookId = id;
    this._note = note;
    const { text, base, isSending } = this.draft;
    const current = note?.text ?? '';
    if (text !== null && !isSending) {
      this._setDraft(id, { newerText: current === base ? null : current });
    }
    if (being_worded && this.isActive) {
      this.throttle.trigger();
    }
    this.stateChanged.emit();
  }

  /**
   * Run an action, unless another one is running, and show its result or failure. `undo` writes
   * `replaced` again.
   */
  private async _act(
    replaced: IReplaced | null,
    action: (id: string) => Promise<NoteResult>
  ): Promise<boolean> {
    const id = this.target;
    if (id === null || this.draft.isSending) {
      return false;
    }
    const { text } = this.draft;
    this._setDraft(id, { isSending: true, failure: null });
    this.stateChanged.emit();
    try {
      const result = await action(id);
      if (text === this._drafts.get(id)?.text) {
        this._drafts.delete(id); // The text was saved, or there is none.
      } else {
        // The person has typed on or, after another action than saving, has begun to type.
        const base = result.note?.text ?? '';
        this._setDraft(id, {
          isSending: false,
          ...(text !== null && { base })
        });
      }
      const isReplaced = result.note?.text !== replaced?.text;
      this._replaced = isReplaced ? replaced : null;
      this._show(id, result);
      return true;
    } catch (reason) {
      this._setDraft(id, { isSending: false, failure: toFailure(reason) });
      this.stateChanged.emit();
      // The note may have been changed meanwhile.
      await this._api!.get(id).then(
        result => this._show(id, result),
        () => undefined
      );
      return false;
    }
  }

  private _current(): IReplaced | null {
    const id = this.target;
    const text = this.note?.text;
    return id !== null && text ? { id, text } : null;
  }

  private _setDraft(id: string, change: Partial<NoteDraft>): void {
    const draft = this._drafts.get(id) ?? NO_DRAFT;
    this._drafts.set(id, { ...draft, ...change });
  }

  private _mode: NoteMode = 'off';
  private _hasNoNotes = false;
  private _note: Note | null = null;
  private _notebookId: string | null = null;
  private readonly _drafts = new Map<string, NoteDraft>();
  private _replaced: IReplaced | null = null;
  private readonly _checkTimes = new Map<string, number>();
}

interface IReplaced {
  readonly id: string;
  readonly text: string;
}

/** Return the cells as a request contains them: of long notebooks, the beginning of each cell. */
export function toNoteCells(
  sources: readonly { type: string; source: string }[]
): NoteCell[] {
  const cells = sources.slice(0, MAX_CELLS);
  const room = Math.min(MAX_SOURCE, Math.floor(MAX_SOURCES / cells.length));
  return cells.map(({ type, source }) => ({
    cellType: type === 'markdown' || type === 'raw' ? type : 'code',
    source: source.slice(0, room)
  }));
}
