/** What is known of models by their ids: names and places, for steps that carry the id alone. */
import type { ModelInfo } from '../../api/types';
import type { IHistory } from '../../tokens';

export class ModelInfos {
  constructor(private readonly _history: IHistory) {}

  /** What is known of the model with this id. */
  get(id: string): ModelInfo | null {
    return this._infos.get(id) ?? null;
  }

  /** Ask the server, unless it was asked; whether there is more to show now. */
  async load(): Promise<boolean> {
    if (this._infos.size) {
      return false;
    }
    try {
      const { models } = await this._history.models();
      this._infos = new Map(models.map(model => [model.id, model]));
      return true;
    } catch {
      return false; // Tried again when next shown.
    }
  }

  private _infos = new Map<string, ModelInfo>();
}
