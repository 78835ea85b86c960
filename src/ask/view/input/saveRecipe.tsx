/** The dialog that saves a request's text as a recipe. */
import {
  Dialog,
  Notification,
  ReactWidget,
  showDialog
} from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { RecipeBody } from '../../../api/types';
import { failureText } from '../../../labels/failureText';
import { toFailure } from '../../../state/failure';
import { confirm } from '../../../ui/dialogs';

/** The limit of the HTTP API. */
export const MAX_RECIPE = 5000;

export type SaveRecipe = (body: RecipeBody) => Promise<void>;

export class RecipeForm extends ReactWidget {
  constructor(
    private readonly _trans: TranslationBundle,
    private readonly _recipe: Pick<RecipeBody, 'name' | 'text' | 'own'>
  ) {
    super();
    this.addClass('jp-AIServer-Recipe');
  }

  getValue(): Pick<RecipeBody, 'name' | 'own'> {
    const name = this.node.querySelector<HTMLInputElement>('[type=text]');
    const own = this.node.querySelector<HTMLInputElement>('[value=own]');
    return {
      name: (name?.value ?? '').trim().replace(/^[/／]/, ''),
      own: own?.checked ?? true
    };
  }

  protected override render(): React.JSX.Element {
    const trans = this._trans;
    const { name, own, text } = this._recipe;
    return (
      <>
        <pre tabIndex={0} aria-label={trans.__('Request')}>
          {text}
        </pre>
        <label>
          {trans.__('Slash word')}
          <input
            type="text"
            className="jp-mod-styled"
            defaultValue={name}
            maxLength={64}
            placeholder={trans.__('for example, clean-columns')}
          />
        </label>
        <label>
          <input
            type="radio"
            name="folder"
            value="own"
            defaultChecked={own !== false}
          />
          {trans.__('For me, in all notebooks')}
        </label>
        <label>
          <input
            type="radio"
            name="folder"
            value="project"
            defaultChecked={own === false}
          />
          {trans.__('For this project, next to the notebook')}
        </label>
      </>
    );
  }
}

/** Ask for a name again if it can't be used. */
export async function saveRecipe(
  text: string,
  path: string,
  save: SaveRecipe,
  trans: TranslationBundle
): Promise<void> {
  let recipe: Pick<RecipeBody, 'name' | 'text' | 'own'> = {
    name: '',
    text: text.trim().slice(0, MAX_RECIPE)
  };
  for (;;) {
    const { button, value } = await showDialog({
      title: trans.__('Save this request as a recipe'),
      body: new RecipeForm(trans, recipe),
      buttons: [
        Dialog.cancelButton({ label: trans.__('Cancel') }),
        Dialog.okButton({ label: trans.__('Save') })
      ],
      focusNodeSelector: '[type=text]'
    });
    if (!button.accept || !value) {
      return;
    }
    recipe = { ...recipe, ...value };
    try {
      if (await saveUnlessDeclined({ ...recipe, path }, save, trans)) {
        const message = trans.__('Saved. Type /%1 to use it.', recipe.name);
        Notification.success(message, { autoClose: 5000 });
        return;
      }
    } catch (reason) {
      const message = failureText(toFailure(reason), trans);
      Notification.error(message, { autoClose: 8000 });
    }
  }
}

async function saveUnlessDeclined(
  recipe: RecipeBody,
  save: SaveRecipe,
  trans: TranslationBundle
): Promise<boolean> {
  try {
    await save(recipe);
  } catch (reason) {
    if (toFailure(reason).code !== 'recipe_exists') {
      throw reason;
    }
    const question = {
      title: trans.__('Replace the recipe?'),
      body: trans.__('There is a recipe /%1 already.', recipe.name),
      accept: trans.__('Replace'),
      warns: true
    };
    if (!(await confirm(question, trans))) {
      return false;
    }
    await save({ ...recipe, replace: true });
  }
  return true;
}
