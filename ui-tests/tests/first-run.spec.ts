/**
 * The first five minutes, on a machine with nothing: no weights, no key, no Ollama. The weights
 * come from a hub that is played (fixtures/modelhub.ts); what is installed from it is real, and
 * writes the code of the guided notebook.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { LocalModelsUnderTest } from '../fixtures/localmodels';
import { expect, openPath, reload, test } from '../fixtures/lab';
import { ScriptedModel, code } from '../fixtures/scripted';
import { begin } from '../fixtures/shell';

test.use({ modelKind: 'none' });

const ANSWER = 180_000; // ms: few threads, maybe on a busy machine
const PAUSE_AT = 150e6; // of 491 MB

test('a provider is connected, chosen and removed, and its key is never sent back', async ({
  page,
  lab,
  openNotebook
}) => {
  // P4, P8. The provider is played: the scripted model on loopback, and one that isn't asked.
  test.setTimeout(180_000);
  const model = await ScriptedModel.start();
  const file = await openNotebook(['', '']);
  const cell = new CellUnderTest(page, 0);
  const offer = cell.row.getByRole('region', { name: 'Choose a model' });
  const dialog = page.getByRole('dialog');
  await cell.open();
  await cell.input.fill('my wish');
  await expect(offer).toBeVisible();

  // With Enter nothing happens to the text, and nothing leaves.
  await cell.input.press('Enter');
  await expect(offer).toBeVisible();
  await expect(cell.input).toHaveValue('my wish');
  expect(await lab.notebookId(file)).toBeUndefined();
  // … but it is said why, and the next keys are text: they neither install a model nor reach the
  // notebook (P48).
  await expect(offer.getByRole('alert')).toContainText(
    'The request was not sent'
  );
  await expect(cell.input).toBeFocused();
  await cell.input.press('Enter');
  await page.keyboard.type('x');
  await expect(cell.input).toHaveValue('my wishx');
  await page.keyboard.press('Backspace');
  await expect(cell.button(/^Install Qwen/)).toBeVisible();

  await offer.getByRole('button', { name: 'Connect a provider…' }).click();
  await dialog.getByRole('radio', { name: /compatible/ }).check();
  await dialog.getByLabel('Base URL').fill(`${model.url}/v1`);
  await dialog.getByLabel(/^API key/).fill('sk-canary-of-the-page');
  // A loopback address may be a proxy's: only the person says that it is not (P16).
  await expect(dialog).toContainText(`is sent to ${model.url}/v1`);
  await dialog.getByLabel('Runs on the Jupyter server’s machine').check();
  // Its models are listed when the list is opened, and not before (P4).
  const name = dialog.getByRole('textbox', { name: 'Model' });
  await name.press('ArrowDown');
  await expect(dialog.getByRole('option')).toHaveText(['scripted']);
  await name.press('ArrowDown');
  await dialog.getByRole('listbox', { name: 'Models' }).press('ArrowDown');
  await expect(name).toHaveValue('scripted');
  await dialog.getByRole('button', { name: 'Test' }).click();
  await expect(dialog.getByRole('status')).toContainText('lists this model');
  // The main button is in view however low the window is.
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: size.width, height: 480 });
  await expect(
    dialog.getByRole('button', { name: 'Use this model' })
  ).toBeInViewport({ ratio: 1 });
  await page.setViewportSize(size);
  await dialog.getByRole('button', { name: 'Use this model' }).click();
  await expect(dialog).toHaveCount(0);

  // The row is ready, with the text as it was.
  const label = cell.button(/^Model:/);
  await expect(label).toContainText('scripted');
  await expect(label).toContainText('on this computer');
  await expect(cell.input).toHaveValue('my wish');
  await model.script(code('wish = 1'));
  await cell.input.press('Enter');
  await cell.accept(60_000);
  expect(await cell.source()).toBe('wish = 1');

  // One that is not on this computer is chosen only after a sentence, here for one cell alone.
  await page.request.put(`${lab.url}/aiserver/models/keys/openai`, {
    data: { key: 'sk-canary-of-openai' }
  });
  const other = new CellUnderTest(page, 1);
  await other.open();
  const choose = async (answer: string) => {
    await other.button(/^Model:/).press('Enter');
    const menus = page.getByRole('menu');
    await expect(menus).toHaveCount(1);
    // From the end: settings, connect, install, in this cell only.
    for (let ups = 0; ups < 4; ups++) {
      await page.keyboard.press('ArrowUp');
    }
    await page.keyboard.press('ArrowRight');
    await expect(menus).toHaveCount(2);
    await menus.last().getByText('gpt-4.1-mini').click();
    await expect(dialog).toContainText('https://api.openai.com/v1');
    await dialog.getByRole('button', { name: answer }).click();
    await expect(dialog).toHaveCount(0);
  };
  await choose('Not now');
  await expect(other.button(/^Model:/)).toContainText('scripted');
  await choose('Use it');
  await expect(other.button(/^Model:/)).toContainText(
    'remote · this cell only'
  );
  // For this cell and no other: what answers elsewhere is as it was.
  await expect(other.button(/^Model:/)).toContainText('gpt-4.1-mini');
  const chosen = await page.request.get(`${lab.url}/aiserver/models`);
  expect((await chosen.json()).default).toContain('scripted');

  // What is sent is shown to the letter, and nothing is sent for it.
  await other.input.fill('<b>canary-wish</b>');
  await other.button('More').click();
  await page.getByRole('menuitem', { name: 'Show What Will Be Sent' }).click();
  await expect(dialog).toContainText('gpt-4.1-mini');
  await expect(dialog).toContainText('<b>canary-wish</b>');
  await dialog.getByRole('button', { name: 'Close' }).last().click();

  // In the settings: the key is removed, and the model with it.
  await begin(page, 'aiserver:open-model-settings');
  await page.getByRole('radio', { name: /^OpenAI(?!-)/ }).check();
  await page.getByRole('button', { name: 'Remove key' }).click();
  await expect(page.getByRole('radio', { name: /gpt-4\.1-mini/ })).toHaveCount(
    0
  );
  expect(await page.content()).not.toContain('canary-of');
  const list = await page.request.get(`${lab.url}/aiserver/models`);
  expect(await list.text()).not.toContain('canary-of');
  expect(lab.log).not.toContain('canary-of');
  expect(await model.requests()).toHaveLength(1);

  await page.request.delete(
    `${lab.url}/aiserver/models/keys/openai_compatible`
  );
  await page.request.put(`${lab.url}/aiserver/models/choice`, {
    data: { model: null }
  });
  await model.stop();
});

test(
  'from installation to the last of the first steps, with the local model',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    test.setTimeout(600_000);
    const hub = lab.modelHub!;
    const file = await openNotebook(['']);
    const cell = new CellUnderTest(page, 0);
    await cell.open();
    await cell.input.fill('读取 data.csv 并显示前5行');
    await expect(cell.button(/^Install Qwen/)).toBeVisible();
    expect(hub.starts).toEqual([]); // P4: nothing is fetched without a press.

    // It is installed; the page is loaded anew meanwhile, and sees it go on. Another model may be
    // suggested for this computer, so the smallest one is chosen from the list.
    hub.pauseAt(PAUSE_AT);
    await cell.button('Other models…').click();
    const models = new LocalModelsUnderTest(page);
    await models.button('Qwen2.5-Coder 0.5B', 'Install').click();
    await models.close();
    const bar = cell.row.getByRole('progressbar');
    await expect(bar).toHaveAttribute('aria-valuenow', /^(29|30)$/);
    await page.notebook.save();
    await reload(page);
    await openPath(page, file);
    await cell.open();
    await expect(bar).toHaveAttribute('aria-valuenow', /^(29|30)$/);

    // It is stopped, and goes on from there.
    await cell.input.fill('my wish');
    await cell.button('Stop').click();
    await expect(cell.row).toContainText(/Stopped. 1\d\d of 491 MB downloaded/);
    await expect.poll(() => hub.broken).toBeGreaterThan(0);
    hub.release();
    await cell.button(/^Continue installing \(1\d\d of 491 MB\)/).focus();
    await page.keyboard.press('Enter');
    await expect(cell.button(/^Model: Qwen/)).toContainText(
      'on this computer',
      {
        timeout: 60_000
      }
    );
    expect(hub.starts.at(-1)).toBeGreaterThan(PAUSE_AT / 2);
    // What was written is there, and the cursor is in it.
    await expect(cell.input).toHaveValue('my wish');
    await expect(cell.input).toBeFocused();
    await cell.input.press('Escape');

    // The guided notebook, from the Help menu.
    await page.getByRole('menuitem', { name: 'Help' }).click();
    await page
      .getByRole('menuitem', { name: 'AI Server: First Steps' })
      .click();
    await page
      .getByRole('heading', { name: 'First steps with AI Server' })
      .waitFor();
    await page
      .locator(
        '.jp-NotebookPanel:not(.lm-mod-hidden) [data-status="idle"].jp-Notebook-ExecutionIndicator'
      )
      .waitFor();

    // 1 · Ask. 2 · Accept. 3 · Run: by the keys that the notebook names, without a click.
    const first = new CellUnderTest(page, 1);
    await first.ask('read data.csv and show the first 5 rows');
    await expect(first.button(/^Accept$/)).toBeEnabled({ timeout: ANSWER });
    await page.keyboard.press('Shift+Enter');
    await first.proposal.waitFor({ state: 'detached' });
    await page.keyboard.press('Shift+Enter');
    await expect(first.output.first()).toContainText('São Paulo');
    const firstSource = await first.source();

    // 4 · Change.
    await first.ask("keep only the 'price' column");
    await expect(first.button(/^Accept$/)).toBeEnabled({ timeout: ANSWER });
    await page.keyboard.press('Alt+Enter');
    await expect(first.output.first()).not.toContainText('São Paulo');
    await expect(first.output.first()).toContainText('11.54');

    // 5 · Go back.
    await first.focus();
    const replay = new ReplayUnderTest(page);
    await replay.open();
    // A model has the same name in the list as everywhere else.
    await expect(replay.steps.first()).toContainText('Qwen2.5-Coder 0.5B');
    await replay.steps.first().getByRole('button').click();
    await replay.button('Restore this version').click();
    await expect
      .poll(async () => (await first.source()).trim())
      .toBe(firstSource.trim());

    // 6 · Draw a plot of the table, which is attached by itself.
    const plot = new CellUnderTest(page, 7);
    await plot.ask('plot a histogram of the price');
    await expect(plot.row).toContainText('60 rows × ');
    await expect(plot.button(/^Accept$/)).toBeEnabled({ timeout: ANSWER });
    await page.keyboard.press('Alt+Enter');
    await expect(plot.output.getByRole('img').first()).toBeVisible();

    // 7 · Fix an error.
    const broken = new CellUnderTest(page, 9);
    await broken.run();
    await expect(broken.output.first()).toContainText('NameError');
    await broken.root.getByRole('button', { name: 'Fix it' }).click();
    await broken.accept(ANSWER);
    await broken.run();
    await expect(broken.output.first()).toContainText('5.98');

    // Nothing that was there was written over, and the history lies where it belongs.
    const id = await lab.notebookId('first-steps/first-steps.ipynb');
    expect(await lab.sessions(id)).toHaveLength(3);
  }
);
