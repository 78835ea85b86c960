import { showDialog } from '@jupyterlab/apputils';
import { nullTranslator } from '@jupyterlab/translation';
import { MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import { act } from 'react';

import { ApiError } from '../../../api/request';
import type { RecipeBody } from '../../../api/types';
import { MAX_RECIPE, RecipeForm, saveRecipe } from './saveRecipe';

jest.mock('@jupyterlab/apputils', () => {
  const actual = jest.requireActual('@jupyterlab/apputils');
  return {
    ...actual,
    showDialog: jest.fn(),
    Notification: { success: jest.fn(), error: jest.fn() }
  };
});

const trans = nullTranslator.load('aiserver');
const accept = (value?: object) => ({ button: { accept: true }, value });
const CANCEL = { button: { accept: false }, value: null };
const exists = () => new ApiError(409, 'recipe_exists', 'exists');

/** Answer the dialogs and fail the saves in this order. */
async function run(answers: object[], failures: (Error | null)[] = []) {
  const show = jest.mocked(showDialog);
  show.mockReset();
  answers.forEach(answer => show.mockResolvedValueOnce(answer as never));
  const save = jest.fn(async (_body: RecipeBody) => {
    const failure = failures.shift();
    if (failure) {
      throw failure;
    }
  });
  await saveRecipe(' Plot {{x}}. ', 'a/n.ipynb', save, trans);
  return { bodies: save.mock.calls.map(([body]) => body), show };
}

describe('saveRecipe', () => {
  const body = {
    path: 'a/n.ipynb',
    name: 'plot',
    text: 'Plot {{x}}.',
    own: true
  };

  it('saves the text under the name', async () => {
    const { bodies } = await run([accept({ name: 'plot', own: true })]);
    expect(bodies).toEqual([body]);
  });

  it('saves nothing if the person cancels', async () => {
    expect((await run([CANCEL])).bodies).toEqual([]);
  });

  it('replaces a recipe only after a question', async () => {
    const form = accept({ name: 'plot', own: true });
    const { bodies, show } = await run([form, accept()], [exists()]);
    expect(bodies).toEqual([body, { ...body, replace: true }]);
    expect(show.mock.calls[1][0]).toMatchObject({
      title: 'Replace the recipe?'
    });
    // After “Cancel”, the form is shown again with the same name.
    const declined = await run([form, CANCEL, CANCEL], [exists()]);
    expect(declined.bodies).toEqual([body]);
    expect(declined.show).toHaveBeenCalledTimes(3);
  });

  it('asks again if the name can’t be used', async () => {
    const { bodies } = await run(
      [accept({ name: 'fix', own: false }), accept({ name: 'b', own: false })],
      [new ApiError(409, 'recipe_name_refused', 'x')]
    );
    expect(bodies.map(({ name, own }) => [name, own])).toEqual([
      ['fix', false],
      ['b', false]
    ]);
  });
});

describe('RecipeForm', () => {
  it('shows the text as text, and returns the entered values (P12)', async () => {
    const text = '<img src=x>'.padEnd(MAX_RECIPE);
    const form = new RecipeForm(trans, { name: '', text });
    await act(async () => {
      Widget.attach(form, document.body);
      MessageLoop.flush();
    });
    const find = (selector: string) =>
      form.node.querySelector<HTMLInputElement>(selector)!;
    expect(form.node.querySelector('img')).toBeNull();
    expect(find('pre').textContent).toBe(text);
    expect(form.getValue()).toEqual({ name: '', own: true });
    find('[type=text]').value = ' /清洗 ';
    find('[value=project]').checked = true;
    expect(form.getValue()).toEqual({ name: '清洗', own: false });
    await act(async () => form.dispose());
  });
});
