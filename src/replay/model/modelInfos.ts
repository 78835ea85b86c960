/** Models by id: steps record the id only, the interface shows name and location. */
import type { ModelInfo } from '../../api/types';
import type { IHistory } from '../../tokens';

export class ModelInfos {
  constructor(private readonly _history: IHistory) {}

  /** The model with this id; null if it is unknown or not loaded yet. */
  get(id: string): ModelInfo | null {
    return this._infos.get(id) ?? null;
  }

  /** Load the models once; resolves with whether they were loaded by this call. */
  async load(): Promise<boolean> {
    if (this._infos.size) {
      return false;
    }
    try {
      const { models } = await this._history.api.models();
      this._infos = new Map(models.map(model => [model.id, model]));
      return true;
    } catch {
      return false; // The next activation tries again.
    }
  }

  private _infos = new Map<string, ModelInfo>();
}
