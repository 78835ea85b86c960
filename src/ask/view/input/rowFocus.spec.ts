import { RowFocus } from './rowFocus';

/** A row with a field, a button, text and a box, and an element outside of it. */
function setup() {
  document.body.innerHTML = `
    <div tabindex="-1" id="cell"><div id="row">
      <p>some words</p><textarea></textarea>
      <button id="one">One</button><button id="two">Two</button>
      <input type="checkbox" />
      <div class="jp-AIServer-Ask-picker"><input type="checkbox" id="listed" /></div>
    </div></div>`;
  const find = <T extends HTMLElement = HTMLElement>(selector: string) =>
    document.querySelector<T>(selector)!;
  const field = find('textarea');
  const focus = new RowFocus(find('#row'), () => field.focus());
  const frame = () => new Promise(resolve => requestAnimationFrame(resolve));
  return { find, field, focus, frame };
}

describe('RowFocus (P48)', () => {
  it.each(['mouse', 'keyboard'])(
    'returns the focus after a control was used by %s',
    async device => {
      const { find, field, frame } = setup();
      const button = find('#one');
      if (device === 'mouse') {
        const init = { bubbles: true, cancelable: true };
        const pressed = new MouseEvent('mousedown', init);
        expect(button.dispatchEvent(pressed)).toBe(false); // keeps the focus
        // If the field were focused before the button is released, the page could scroll.
        expect(document.activeElement).toBe(document.body);
      } else {
        button.focus();
      }
      button.click();
      await frame();
      expect(document.activeElement).toBe(field);
    }
  );

  it('returns the focus of a control that disappears or is disabled', async () => {
    const { find, field, frame } = setup();
    find('#one').focus();
    find('#one').remove();
    await frame();
    expect(document.activeElement).toBe(field);
    const two = find<HTMLButtonElement>('#two');
    two.focus();
    two.disabled = true;
    await frame();
    expect(document.activeElement).toBe(field);
  });

  it('returns the focus after a choice, but not from the list', () => {
    const { find, field } = setup();
    const [box, listed] = [find('#row > input'), find('#listed')];
    box.focus();
    box.click();
    expect(document.activeElement).toBe(field);
    listed.focus();
    listed.click();
    expect(document.activeElement).toBe(listed);
  });

  it('leaves the focus to what a control has focused', async () => {
    const { find, frame } = setup();
    find('#one').onclick = () => find('#two').focus();
    find('#one').focus();
    find('#one').click();
    await frame();
    expect(document.activeElement).toBe(find('#two'));
    find('#cell').focus();
    await frame();
    expect(document.activeElement).toBe(find('#cell'));
  });

  it('lets a person type after text was clicked', async () => {
    const { find, field, frame } = setup();
    find('#row').focus(); // as a click on its text does
    find('p').click();
    await frame();
    expect(document.activeElement).toBe(field);
  });

  it.each(['#row', '#one', '#listed'])(
    'types text on %s into the field',
    selector => {
      const { find, field } = setup();
      const press = (key: string, ctrlKey = false) => {
        find(selector).focus();
        const init = { key, ctrlKey, bubbles: true };
        find(selector).dispatchEvent(new KeyboardEvent('keydown', init));
        return document.activeElement;
      };
      expect(press('x')).toBe(field);
      expect(press('x', true)).toBe(find(selector));
      expect(press('Enter')).toBe(find(selector));
      // In the row itself, a space is text.
      expect(press(' ')).toBe(selector === '#row' ? field : find(selector));
    }
  );
});
