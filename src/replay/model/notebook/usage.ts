/** The sums of tokens, times and costs: of the notebook, and of all requests today. */
import type { UsageTotals } from '../../../api/types';
import { LoadedModel } from '../loadedModel';

export class NotebookUsage extends LoadedModel {
  get notebook(): UsageTotals | null {
    const isCurrent = this._notebookId === this.subject.notebookId;
    return isCurrent ? this._notebook : null;
  }

  get today(): UsageTotals | null {
    return this._today;
  }

  protected get target(): string | null {
    return this.subject.notebookId;
  }

  protected async fetch(signal: AbortSignal): Promise<() => void> {
    const { notebookId } = this.subject;
    const { api } = this.history;
    const midnight = new Date();
    midnight.setHours(0, 0, 0, 0);
    const [notebook, today] =
      notebookId === null
        ? [null, null]
        : await Promise.all([
            api.usage(notebookId, undefined, signal),
            api.usage(null, midnight, signal)
          ]);
    return () => {
      this._notebook = notebook;
      this._notebookId = notebookId;
      this._today = today;
    };
  }

  private _notebook: UsageTotals | null = null;
  /** The id of the notebook whose sums are in `_notebook`. */
  private _notebookId: string | null = null;
  private _today: UsageTotals | null = null;
}
