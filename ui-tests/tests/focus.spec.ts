/** The keyboard stays in the prompt row's field, whatever was used in the row (P48). */
import type { Locator, Page } from '@playwright/test';

import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/plain';
import { code } from '../fixtures/scripted';

/** Use a control by mouse or by keyboard. */
type Use = (control: Locator) => Promise<void>;

const USES: [string, Use][] = [
  ['mouse', control => control.click()],
  ['keyboard', control => control.press('Enter')]
];

const cellCount = (page: Page) =>
  page.evaluate(
    () =>
      (window as any).jupyterapp.shell.currentWidget.content.widgets
        .length as number
  );

for (const [device, use] of USES) {
  test(
    `all controls of the row, by ${device}: the next key goes into its field`,
    { tag: '@core' },
    async ({ page, lab, open }) => {
      test.setTimeout(120_000);
      await open([
        'import pandas as pd\nsales = pd.DataFrame({"units": [1, 2]})',
        'sales',
        'x = 1'
      ]);
      await new CellUnderTest(page, 0).run();
      const cell = new CellUnderTest(page, 1);
      /** In the notebook, “x” would cut the cell. */
      const typesIntoField = async () => {
        await expect(cell.input).toBeFocused();
        await page.keyboard.type('x');
        await expect(cell.input).toHaveValue(/x$/);
        await page.keyboard.press('Backspace');
        expect(await cellCount(page)).toBe(3);
      };
      /** A letter that is typed on any control goes into the field, too. */
      const typesOnControls = async () => {
        const controls = cell.row.locator(
          'button:enabled:visible, summary, input[type="checkbox"]'
        );
        expect(await controls.count()).toBeGreaterThan(1);
        for (let index = 0; index < (await controls.count()); index++) {
          await controls.nth(index).focus();
          await page.keyboard.type('x');
          await expect(cell.input).toHaveValue(/x$/);
          await page.keyboard.press('Backspace');
          expect(await cellCount(page)).toBe(3);
        }
      };
      const menu = page.locator('.lm-Menu');

      // Before the request: menus, and a chip that disappears.
      await cell.open();
      for (const name of [/^Model:/, 'More']) {
        await use(cell.button(name));
        await expect(menu.first()).toBeVisible();
        await page.keyboard.press('Escape');
        await expect(menu).toHaveCount(0);
        await typesIntoField();
      }
      await use(cell.button('More'));
      await menu.getByRole('menuitem', { name: 'New Conversation' }).click();
      await typesIntoField();
      // A dialog that the menu opens.
      await page.removeLocatorHandler(page.locator('.jp-Dialog'));
      await cell.input.fill('draw it');
      await use(cell.button('More'));
      await menu.getByText('Show What Will Be Sent').click();
      const dialog = page.locator('.jp-Dialog');
      await expect(dialog.getByRole('button').last()).toBeFocused();
      await page.keyboard.press('Escape');
      await expect(dialog).toHaveCount(0);
      await typesIntoField();
      await use(cell.button(/^Model:/));
      await menu
        .getByText(/^scripted/)
        .first()
        .click();
      await typesIntoField();
      const level = cell.row.getByRole('combobox').first();
      await level.selectOption('statistics');
      await typesIntoField();
      await use(cell.button('More'));
      await menu.getByText('About a DataFrame').click();
      await expect(cell.row.getByRole('checkbox')).toBeFocused();
      await typesOnControls();
      await use(cell.button('Done'));
      await typesIntoField();
      await use(cell.button('Remove sales'));
      await typesIntoField();

      // While an answer arrives, and with it.
      await lab.model!.script({ hang: true });
      await cell.ask('change it');
      await expect
        .poll(async () => (await lab.model!.requests()).length)
        .toBe(1);
      await use(cell.button('Stop'));
      await typesIntoField();
      await lab.model!.script(
        code('x = 3\ny = undefined_name'),
        code('x = 4\nz = 1'),
        code('x = 5')
      );
      await cell.ask('change it');
      const regenerate = cell.button(/^Regenerate$/);
      await expect(regenerate).toBeEnabled({ timeout: 45_000 });
      await use(regenerate);
      await expect(cell.row.getByRole('tab')).toHaveCount(2);
      await expect(regenerate).toBeEnabled();
      await typesIntoField();
      await use(cell.row.getByRole('tab').first());
      await typesIntoField();
      await use(cell.button('Ask for a repair'));
      await expect(cell.row.getByRole('tab')).toHaveCount(3);
      await expect(cell.button(/^Accept$/)).toBeEnabled();
      await typesIntoField();

      // A click on the row's text is no click on the notebook.
      await cell.row.getByText('change it').click();
      await typesIntoField();

      // A decision gives the focus to the cell's code.
      await use(cell.button('Reject'));
      await expect(cell.editor).toBeFocused();
    }
  );
}
