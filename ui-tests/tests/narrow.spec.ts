/** The row and the settings where there is little room. */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

for (const width of [700, 1000]) {
  test(`the row shows the model and where it runs, ${width} px wide`, async ({
    page,
    lab,
    openNotebook
  }) => {
    await openNotebook(['x = 1']);
    await page.setViewportSize({ width, height: 800 });
    const cell = new CellUnderTest(page, 0);
    const name = cell.button(/^Model:/);
    const more = cell.button('More');
    const right = async () => {
      const [box, row] = [
        await more.boundingBox(),
        await cell.row.boundingBox()
      ];
      return row!.x + row!.width - box!.x - box!.width;
    };
    const isWhole = () =>
      name
        .locator('span')
        .first()
        .evaluate(node => node.scrollWidth <= node.clientWidth);
    await cell.open();
    await expect(name).toContainText('scripted');
    const margin = await right();
    expect(await isWhole()).toBe(true);
    await lab.model!.script(code('x = 2\ny = 3'));
    await cell.ask('change it');
    await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 45_000 });
    expect(await isWhole()).toBe(true);
    // With one more button, too.
    await cell.proposal.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('0');
    await expect(cell.button('Restore the original suggestion')).toBeVisible();
    expect(await isWhole()).toBe(true);
    expect(await right()).toBeCloseTo(margin, 0);
  });
}

test('the settings of models fit into a narrow panel', async ({
  page,
  openNotebook
}) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await openNotebook(['']);
  await execute(page, 'settingeditor:open', { query: 'AI Server: Models' });
  await page.evaluate(() => {
    const { shell } = (window as any).jupyterapp;
    shell.expandLeft();
    shell.expandRight();
  });
  const buttons = page.getByRole('button', { name: 'Install', exact: true });
  await expect(buttons.first()).toBeVisible();
  const panel = page.locator('#setting-editor');
  for (const width of [1440, 1000]) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(async () => {
        const [box, area] = [
          await buttons.first().boundingBox(),
          await panel.boundingBox()
        ];
        return box!.x + box!.width - area!.x - area!.width;
      })
      .toBeLessThanOrEqual(0);
  }
});
