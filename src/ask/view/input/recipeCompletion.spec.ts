import { completeRecipe, selectNextParameter } from './completions';

const RECIPES = [
  { name: 'clean-up', description: 'Tidy', text: 'Clean {{x}}', own: true },
  { name: '清洗', description: '清洗列', text: '清洗 {{列=价格}}', own: false }
];

describe('completeRecipe', () => {
  const texts = (before: string) =>
    completeRecipe(RECIPES, before).map(({ text }) => text);

  it('completes names in any language at the beginning of a request', () => {
    expect(texts('/')).toEqual(['/clean-up', '/清洗']);
    expect(texts(' ／清')).toEqual(['/清洗']);
    expect(texts('/CLEAN-UP')).toEqual(['/clean-up']);
    expect(texts('plot /c')).toEqual([]);
    expect(texts('/clean-up it')).toEqual([]);
  });

  it('inserts the text of the recipe, not its name', () => {
    const [{ insertion, start }] = completeRecipe(RECIPES, '  /清');
    expect(start).toBe(0);
    expect(insertion).toEqual({ text: '清洗 价格', from: 3, to: 5 });
  });
});

describe('selectNextParameter', () => {
  it('selects one parameter after the other, then nothing', () => {
    const field = document.createElement('textarea');
    field.value = 'Plot {{x}} over {{y}}.';
    field.setSelectionRange(0, 0);
    const selected = () =>
      field.value.slice(field.selectionStart, field.selectionEnd);
    expect(selectNextParameter(field)).toBe(true);
    expect(selected()).toBe('{{x}}');
    expect(selectNextParameter(field)).toBe(true);
    expect(selected()).toBe('{{y}}');
    expect(selectNextParameter(field)).toBe(false);
    expect(selected()).toBe('{{y}}');
  });
});
