/** A server with the notes of notebooks, for the specs. It decides as the real one does. */
import { ApiError } from '../../../api/request';
import type {
  Note,
  NoteBody,
  NoteChangeBody,
  NoteResult
} from '../../../api/types';
import type { NoteApi } from './note';

export const OUTLINE = 'Sales: Which shops grow?\nReads sales.csv.';

export class FakeNotes implements NoteApi {
  readonly notes = new Map<string, Note>();
  /** The method and the notebook of each request. */
  readonly requests: string[] = [];
  /** The bodies of the requests that make a note. */
  readonly bodies: NoteBody[] = [];
  outline = OUTLINE;
  isBeingWorded = false;
  failure: ApiError | null = null;
  private readonly _replaced = new Map<string, Note>();

  async get(id: string): Promise<NoteResult> {
    return this._answer('get', id);
  }

  async update(id: string, body: NoteBody): Promise<NoteResult> {
    this.bodies.push(body);
    if (this.failure) {
      return this._answer('update', id);
    }
    const isWritten = this.notes.get(id)?.author === 'person' && !body.again;
    if (body.again) {
      this._check(id, body.expected ?? '');
      this._remember(id);
    }
    if (this.outline && !isWritten) {
      this.set(id, { text: this.outline, author: 'outline' });
    }
    return this._answer('update', id);
  }

  async change(
    id: string,
    { text, expected = '', used, undo }: NoteChangeBody
  ): Promise<NoteResult> {
    if (text) {
      this._check(id, expected);
    }
    const replaced = undo ? this._replaced.get(id) : null;
    this.set(id, {
      ...(text && { text, author: replaced?.author ?? ('person' as const) }),
      ...(typeof used === 'boolean' && { used })
    });
    return this._answer('change', id);
  }

  async delete(id: string) {
    this._remember(id);
    this.set(id, { text: '', author: 'person' });
    this._answer('delete', id);
    return { deleted_prompts: 0 };
  }

  /** Change a note as somebody else does. */
  set(id: string, fields: Partial<Note>): void {
    this.notes.set(id, {
      text: '',
      author: 'outline',
      model: '',
      written_at: Date.now() / 1000,
      expires_at: null,
      used: true,
      ...this.notes.get(id),
      ...fields
    });
  }

  private _check(id: string, expected: string): void {
    if ((this.notes.get(id)?.text ?? '') !== expected) {
      throw new ApiError(412, 'memory_entry_changed', 'This note has changed.');
    }
  }

  private _remember(id: string): void {
    const note = this.notes.get(id);
    if (note) {
      this._replaced.set(id, note);
    }
  }

  private _answer(method: string, id: string): NoteResult {
    this.requests.push(`${method} ${id}`);
    if (this.failure) {
      throw this.failure;
    }
    const note = this.notes.get(id) ?? null;
    return { note, being_worded: this.isBeingWorded };
  }
}
