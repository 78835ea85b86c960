import { Recipes, fillDefaults, nextParameter } from './recipes';

const recipe = { name: 'a', description: 'x', text: 'x', own: true };

describe('Recipes', () => {
  it('loads the list, and keeps the old one if the server fails', async () => {
    const api = { recipes: jest.fn(async (_path: string) => [recipe]) };
    const recipes = new Recipes(api, () => 'project/n.ipynb');
    expect(recipes.list).toEqual([]);
    await recipes.load();
    expect(api.recipes).toHaveBeenCalledWith('project/n.ipynb');
    expect(recipes.list).toEqual([recipe]);
    api.recipes.mockRejectedValueOnce(new Error('offline'));
    await recipes.load();
    expect(recipes.list).toEqual([recipe]);
  });
});

describe('fillDefaults', () => {
  it.each([
    ['Plot {{x}} over {{y}}.', 'Plot {{x}} over {{y}}.', '{{x}}'],
    ['Plot {{x=价格}} in {{颜色=blue}}.', 'Plot 价格 in blue.', '价格'],
    ['Plot {{x=a}} over {{y}}, {{z=}}.', 'Plot a over {{y}}, .', '{{y}}'],
    ['Nothing to fill in, {{}} {x}', 'Nothing to fill in, {{}} {x}', ''],
    ['$& {{a=$1$&}}', '$& $1$&', '$1$&']
  ])('makes of %j the text %j', (recipeText, text, selected) => {
    const filled = fillDefaults(recipeText);
    expect(filled.text).toBe(text);
    expect(text.slice(filled.from, filled.to)).toBe(selected);
    if (!selected) {
      expect(filled.from).toBe(text.length);
    }
  });
});

describe('nextParameter', () => {
  it('finds the parameters after an offset', () => {
    const text = '{{a}} and {{b}}';
    expect(nextParameter(text, 0)).toEqual({ from: 0, to: 5 });
    expect(nextParameter(text, 5)).toEqual({ from: 10, to: 15 });
    expect(nextParameter(text, 15)).toBeNull();
  });
});
