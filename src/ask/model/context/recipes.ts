/** Recipes: a person's own prompts as slash words, with parameters such as `{{name=default}}`. */
import type { ApiClient } from '../../../api/client';
import type { Recipe } from '../../../api/types';

const PARAMETER = /\{\{([^{}=\n]+)(?:=([^{}\n]*))?\}\}/g;

export class Recipes {
  constructor(
    private readonly _api: Pick<ApiClient, 'recipes'>,
    private readonly _notebookPath: () => string
  ) {}

  get list(): readonly Recipe[] {
    return this._list;
  }

  async load(): Promise<void> {
    const list = await this._api
      .recipes(this._notebookPath())
      .catch(() => null);
    this._list = list ?? this._list;
  }

  private _list: readonly Recipe[] = [];
}

/** Return the text with defaults, and the range to select: of the first parameter without one. */
export function fillDefaults(recipeText: string): {
  text: string;
  from: number;
  to: number;
} {
  let firstDefault: { from: number; to: number } | null = null;
  let shift = 0;
  const text = recipeText.replace(
    PARAMETER,
    (parameter, _name: string, value: string | undefined, offset: number) => {
      const shown = value ?? parameter;
      const from = offset + shift;
      shift += shown.length - parameter.length;
      if (value !== undefined) {
        firstDefault ??= { from, to: from + shown.length };
      }
      return shown;
    }
  );
  const end = { from: text.length, to: text.length };
  return { text, ...(nextParameter(text, 0) ?? firstDefault ?? end) };
}

/** Return the next parameter without a default, from an offset on; null if there is none. */
export function nextParameter(
  text: string,
  offset: number
): { from: number; to: number } | null {
  const match = [...text.matchAll(PARAMETER)].find(
    ({ index, 2: value }) => index >= offset && value === undefined
  );
  return match
    ? { from: match.index, to: match.index + match[0].length }
    : null;
}
