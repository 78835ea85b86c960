import { act } from 'react';

import { setup } from './promptRow.fakes';

afterEach(() => {
  jest.restoreAllMocks();
  document.body.replaceChildren();
});

describe('PromptRow, with slash words and recipes', () => {
  describe('completes slash words', () => {
    const options = () => [
      ...document.querySelectorAll<HTMLElement>('[role="option"]')
    ];

    it('with keys, without sending the request', async () => {
      const t = await setup({ source: 'x = 1' });
      await t.type('/e');
      expect(options().map(({ textContent }) => textContent)).toEqual([
        '/explainExplain the code in words',
        '/editChange the code'
      ]);
      expect(t.field.getAttribute('aria-activedescendant')).toBe(
        options()[0].id
      );
      await t.press('ArrowDown');
      expect(options()[1].getAttribute('aria-selected')).toBe('true');
      await t.press('ArrowUp');
      await t.press('Enter');
      expect(t.field.value).toBe('/explain ');
      expect(options()).toEqual([]);
      expect(t.ask).not.toHaveBeenCalled();
      await t.press('Enter');
      expect(t.ask).toHaveBeenCalledWith('/explain ', '/explain ');
    });

    it('about the cell above, if the cell is empty', async () => {
      const t = await setup({ source: ' ', codeAbove: 'x = 1' });
      await t.type('/e');
      expect(options().map(({ textContent }) => textContent)).toEqual([
        '/explainExplain the cell above in words'
      ]);
    });

    it('until Escape, which does not close the row', async () => {
      const t = await setup({ source: 'x = 1' });
      const close = jest.spyOn(t.model, 'close');
      await t.type('/e');
      await t.press('Escape');
      expect(options()).toEqual([]);
      expect(t.field.value).toBe('/e');
      expect(close).not.toHaveBeenCalled();
      await t.type('/ex');
      expect(options()).toHaveLength(1);
    });

    /** Move the cursor or select text, as a person does. */
    const select = (
      field: HTMLTextAreaElement,
      start: number,
      end = start
    ): Promise<void> =>
      act(async () => {
        field.setSelectionRange(start, end);
        field.dispatchEvent(new Event('select', { bubbles: true }));
        document.dispatchEvent(new Event('selectionchange'));
      });

    it('with the mouse, and leaves the rest of the request', async () => {
      const t = await setup({ source: 'x = 1' });
      await t.type('/t in one line');
      expect(options()).toEqual([]);
      await select(t.field, 2);
      await act(async () => options()[0].click());
      expect(t.field.value).toBe('/test in one line');
      expect(t.field.selectionStart).toBe(5);
    });

    it('neither inside of a word, nor for selected or recalled text', async () => {
      const t = await setup({ source: 'x = 1' });
      await t.type('/explain');
      await select(t.field, 4);
      expect(options()).toEqual([]);
      await t.type('/ex');
      expect(options()).toHaveLength(1);
      await select(t.field, 1, 3);
      expect(options()).toEqual([]);
      t.model.intents.add('/doc');
      await t.type('');
      await t.press('ArrowUp');
      expect(t.field.value).toBe('/doc');
      expect(options()).toEqual([]);
    });
  });

  it('sends the cell’s error along with a request to fix it', async () => {
    const t = await setup({ source: 'x = 1', error: 'KeyError: 1' });
    await t.type('/fix');
    await t.press('Enter');
    await t.settle();
    expect(t.ask).toHaveBeenCalledWith('/fix\nKeyError: 1', '/fix');
    expect(t.field.value).toBe('');
  });

  it('inserts the text of a recipe, and moves between its parameters by Tab', async () => {
    const recipe = { description: 'Plot', own: true };
    const t = await setup({
      source: 'x = 1',
      recipes: [
        { ...recipe, name: 'explore', text: 'Plot {{x}} and {{y}} in {{c=红}}' }
      ]
    });
    await t.type('/exp');
    const options = document.querySelectorAll('[role="option"]');
    expect([...options].map(({ textContent }) => textContent)).toEqual([
      '/explainExplain the code in words',
      '/explorePlot'
    ]);
    await t.press('ArrowDown');
    await t.press('Enter');
    expect(t.ask).not.toHaveBeenCalled();
    expect(t.field.value).toBe('Plot {{x}} and {{y}} in 红');
    const selected = () =>
      t.field.value.slice(t.field.selectionStart, t.field.selectionEnd);
    expect(selected()).toBe('{{x}}');
    expect((await t.press('Tab')).defaultPrevented).toBe(true);
    expect(selected()).toBe('{{y}}');
    // After the last parameter, Tab leaves the field as usual. So does Shift+Tab.
    expect((await t.press('Tab')).defaultPrevented).toBe(false);
    const back = await t.press('Tab', { shiftKey: true });
    expect(back.defaultPrevented).toBe(false);
  });
});
