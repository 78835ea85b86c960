/** Use a menu as a person does, by keyboard. */
import { MessageLoop } from '@lumino/messaging';

const KEYS = { Enter: 13, Escape: 27, ArrowDown: 40 };

export function pressInMenu(key: keyof typeof KEYS): void {
  const init = { key, keyCode: KEYS[key], bubbles: true, cancelable: true };
  openMenu()!.dispatchEvent(new KeyboardEvent('keydown', init));
  MessageLoop.flush();
}

/** Return the labels of the menu's entries. */
export function openEntries(button: HTMLElement): string[] {
  button.click();
  MessageLoop.flush();
  return [...openMenu()!.querySelectorAll('.lm-Menu-item')]
    .filter(node => node.getAttribute('data-type') === 'command')
    .map(labelOf);
}

export function chooseEntry(button: HTMLElement, label: string): void {
  const count = openEntries(button).length;
  for (let index = 0; index < count; index++) {
    if (labelOf(openMenu()!.querySelector('.lm-mod-active')) === label) {
      pressInMenu('Enter');
      return;
    }
    pressInMenu('ArrowDown');
  }
  throw new Error(`The entry “${label}” is missing or disabled.`);
}

const openMenu = () =>
  [...document.querySelectorAll<HTMLElement>('.lm-Menu')].at(-1);

const labelOf = (node: Element | null) =>
  node?.querySelector('.lm-Menu-itemLabel')?.textContent ?? '';
