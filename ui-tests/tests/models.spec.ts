/**
 * The catalogue of local models: models are installed, switched and removed in the page. The hub is
 * played (fixtures/modelhub.ts), with small files in place of the weights, so no model answers here.
 */
import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { LocalModelsUnderTest } from '../fixtures/localmodels';
import { SMALL_SIZE } from '../fixtures/modelhub';

test.use({ modelKind: 'small' });

const SMALLEST = 'Qwen2.5-Coder 0.5B';
const LARGER = 'Qwen2.5-Coder 1.5B';

test('models are installed, switched from the menu, and removed', async ({
  page,
  lab,
  openNotebook
}) => {
  // P4, P38
  test.setTimeout(180_000);
  const hub = lab.modelHub!;
  await openNotebook(['']);
  const cell = new CellUnderTest(page, 0);
  const models = new LocalModelsUnderTest(page);
  const list = async () =>
    (await page.request.get(`${lab.url}/aiserver/models`)).json();
  const openMenu = async () => {
    await cell.button(/^Model:/).press('Enter');
    const menu = page.getByRole('menu');
    await expect(menu).toHaveCount(1);
    return menu;
  };

  // The prompt row leads to the list. Each model has its size, and one of them is suggested.
  await cell.open();
  await cell.input.fill('my wish');
  await cell.button('Other models…').click();
  await expect(models.row(LARGER)).toContainText('8 MB download');
  await expect(models.row(LARGER)).toContainText('Apache-2.0');
  await expect(
    models.dialog.getByText('Suggested for this computer')
  ).toHaveCount(1);
  expect(hub.starts).toEqual([]); // Nothing is downloaded without a button.

  // One is installed; it is stopped, and continues from there.
  hub.pauseAt(SMALL_SIZE / 2);
  await models.button(LARGER, 'Install').press('Enter');
  await expect(models.dialog).toBeVisible();
  const bar = models.row(LARGER).getByRole('progressbar');
  await expect(bar).toHaveAttribute('aria-valuenow', /^[45]\d$/);
  await expect(models.button(SMALLEST, 'Install')).toBeDisabled();
  await models.button(LARGER, 'Stop').click();
  await expect(models.row(LARGER)).toContainText('Stopped.');
  await expect.poll(() => hub.broken).toBeGreaterThan(0);
  hub.release();
  await models.button(LARGER, 'Continue').click();
  await expect(models.row(LARGER)).toContainText('In use', { timeout: 30_000 });
  expect(hub.starts.at(-1)).toBeGreaterThan(0);

  // The second is installed, and the first one stays in use.
  await models.button(SMALLEST, 'Install').click();
  await expect(models.row(SMALLEST)).toContainText('ready to use', {
    timeout: 30_000
  });
  await expect(models.row(LARGER)).toContainText('In use');
  await models.close();
  await expect(cell.button(/^Model:/)).toContainText(LARGER);
  await expect(cell.input).toHaveValue('my wish');
  await expect(cell.input).toBeFocused();

  // The menu switches between them.
  await (await openMenu()).getByText(SMALLEST, { exact: true }).click();
  await expect(cell.button(/^Model:/)).toContainText(SMALLEST);
  expect((await list()).default).toBe('local:qwen2.5-coder-0.5b');

  // The dialog does the same, and it opens from the menu.
  await (await openMenu()).getByText('Install a model…').click();
  await models.button(LARGER, 'Use').focus();
  await page.keyboard.press('Enter');
  await expect(models.row(LARGER)).toContainText('In use');
  await expect(models.row(LARGER)).toBeFocused();

  // A model is removed after a question with the size.
  await models.button(SMALLEST, 'Remove…').click();
  await expect(models.row(SMALLEST)).toContainText(
    '8 MB of disk space becomes free'
  );
  await models.button(SMALLEST, 'Cancel').click();
  expect((await list()).localModels[0].installed).toBe(true);
  await models.button(SMALLEST, 'Remove…').click();
  await models.button(SMALLEST, 'Remove').click();
  await expect(models.row(SMALLEST)).toContainText(
    '8 MB of disk space is free'
  );
  const [smallest, larger] = (await list()).localModels;
  expect(smallest).toMatchObject({ installed: false, installedBytes: 0 });
  expect(larger).toMatchObject({ installed: true, installedBytes: SMALL_SIZE });
  await page.keyboard.press('Escape');
  await expect(models.dialog).toHaveCount(0);
  await expect(cell.button(/^Model:/)).toContainText(LARGER);
});
