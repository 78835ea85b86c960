/**
 * A notebook as it was at the moments of its timeline: each asked for once, the last ones kept.
 *
 * What must hold: a state of another timeline is never taken for one of this.
 */
import type { NotebookSnapshot } from '../../../api/types';
import type { IHistory } from '../../../tokens';

/** States that are kept for who steps back and forth. */
const KEPT = 50;

export class NotebookStates {
  constructor(
    private readonly _history: IHistory,
    readonly notebookId: string,
    /** Of the timeline whose moments are meant. */
    readonly version: string
  ) {}

  /** The state after a moment if it is at hand. */
  known(index: number): NotebookSnapshot | null {
    return this._kept.get(index) ?? null;
  }

  /** The state after a moment. */
  async at(index: number, signal?: AbortSignal): Promise<NotebookSnapshot> {
    const known = this.known(index);
    if (known) {
      return known;
    }
    const { notebookId, version } = this;
    const then = await this._history.moment(notebookId, index, version, signal);
    if (then.version === version) {
      this._kept.set(index, then);
      if (this._kept.size > KEPT) {
        this._kept.delete(this._kept.keys().next().value!);
      }
    }
    return then;
  }

  private readonly _kept = new Map<number, NotebookSnapshot>();
}
