/** Completes the names of recipes, and moves between the parameters of a recipe's text. */
import type { Recipe } from '../../../api/types';
import { fillDefaults, nextParameter } from '../../model/context/recipes';
import type { ICompletion } from './completionList';

const MAX_SHOWN = 40;

/**
 * Return the recipes that the text before the cursor begins. Choosing one replaces the text by the
 * recipe's text, so that the person sees what is sent.
 */
export function completeRecipe(
  recipes: readonly Recipe[],
  textBeforeCursor: string
): ICompletion[] {
  const match = /^\s*[/／]([^\s/／]*)$/.exec(textBeforeCursor);
  if (!match) {
    return [];
  }
  const typed = match[1].toLowerCase();
  return recipes
    .filter(({ name }) => name.toLowerCase().startsWith(typed))
    .slice(0, MAX_SHOWN)
    .map(({ name, description, text }) => ({
      start: 0,
      text: `/${name}`,
      description,
      insertion: fillDefaults(text)
    }));
}

/**
 * Select the next parameter of a recipe after the cursor. Return false if there is none, so that Tab
 * leaves the field as usual.
 */
export function selectNextParameter(field: HTMLTextAreaElement): boolean {
  const range = nextParameter(field.value, field.selectionEnd);
  if (range) {
    field.setSelectionRange(range.from, range.to);
  }
  return range !== null;
}
