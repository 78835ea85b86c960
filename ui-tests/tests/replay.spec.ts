/**
 * The sidebar: how a cell came to be, and back to any point of it.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

test('it explains the first step while there is nothing to show', async ({
  page,
  openNotebook
}) => {
  await openNotebook(['']);
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await new CellUnderTest(page, 0).focus();
  await expect(replay.panel).toContainText('Ctrl');
  await replay.panel.getByRole('button', { name: /Ask/ }).click();
  await expect(new CellUnderTest(page, 0).input).toBeVisible();
});

test(
  'each step is shown, by mouse and by keyboard, and any is restored',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const file = await openNotebook(['', 'other = 1']);
    const cell = new CellUnderTest(page, 0);
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await lab.model!.script(code('x = 1', 'It sets x.'), code('x = 1\ny = 2'));
    await cell.ask('set x');
    await cell.accept();
    await cell.editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('0  # by hand');
    await cell.ask('和 y');
    await cell.accept();
    await expect(replay.steps).toHaveCount(3);
    await expect(replay.steps.nth(0)).toContainText('set x');
    await expect(replay.steps.nth(2)).toContainText('和 y');

    await replay.steps.nth(0).getByRole('button').click();
    await expect(replay.slider).toHaveAttribute(
      'aria-valuetext',
      /^Step 1 of 3/
    );
    await expect(replay.panel).toContainText('It sets x.');
    await replay.slider.focus();
    await page.keyboard.press('ArrowRight');
    await expect(replay.slider).toHaveAttribute(
      'aria-valuetext',
      /^Step 2 of 3/
    );
    await expect(replay.code).toContainText('x = 10  # by hand');
    await page.keyboard.press('End');
    await expect(replay.slider).toHaveAttribute('aria-valuenow', '3');
    await page.keyboard.press('Home');
    await expect(replay.slider).toHaveAttribute(
      'aria-valuetext',
      /^Step 1 of 3/
    );

    await replay.button('Restore this version').click();
    expect(await cell.source()).toBe('x = 1');
    await expect(replay.steps).toHaveCount(4);
    await cell.editor.click();
    await page.keyboard.press('ControlOrMeta+z');
    expect(await cell.source()).toBe('x = 1\ny = 2');
    const id = await lab.notebookId(file);
    const [session] = await lab.sessions(id);
    expect(session.events?.map(event => event.type)).toContain('restore');
    // Nothing is lost by it.
    expect(session.interactions).toHaveLength(2);
  }
);

test('it follows the active cell, and its overview goes to a cell', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['a = 1', 'b = 1', 'md:# Title']);
  const [first, second] = [
    new CellUnderTest(page, 0),
    new CellUnderTest(page, 1)
  ];
  await lab.model!.script(code('a = 2'), code('b = 2'));
  await first.ask('two for a');
  await first.accept();
  await second.ask('two for b');
  await second.accept();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel).toContainText('two for b');
  await first.focus();
  await expect(replay.panel).toContainText('two for a');
  await expect(replay.panel).not.toContainText('two for b');
  await replay.tab('Notebook').click();
  const rows = replay.panel.getByRole('list', {
    name: 'Notebook cells'
  });
  await expect(rows).toContainText('two for b');
  await rows.getByRole('button', { name: /two for b/ }).click();
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          (window as any).jupyterapp.shell.currentWidget.content.activeCellIndex
      )
    )
    .toBe(1);
});

test('it plays the steps', async ({ page, lab, openNotebook }) => {
  await openNotebook(['']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('x = 1'), code('x = 2'), code('x = 3'));
  for (const wish of ['one', 'two', 'three']) {
    await cell.ask(wish);
    await cell.accept();
  }
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.steps).toHaveCount(3);
  await replay.slider.focus();
  await page.keyboard.press('Home');
  await replay.button('Play').click();
  await expect(replay.slider).toHaveAttribute('aria-valuetext', /^Step 3 of 3/);
  await expect(replay.button('Play')).toBeVisible();
});

test('it sends no requests while it is hidden', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['a = 1', 'b = 1']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(code('a = 2'));
  await cell.ask('two');
  await cell.accept();
  const asked: string[] = [];
  page.on('request', request => {
    if (/aiserver\/sessions\/.*replay/.test(request.url())) {
      asked.push(request.url());
    }
  });
  await new CellUnderTest(page, 1).focus();
  await cell.focus();
  expect(asked).toEqual([]);
  const replay = new ReplayUnderTest(page);
  await replay.open();
  // What the cell held at first, and the turn.
  await expect(replay.steps).toHaveCount(2);
  expect(asked.length).toBeGreaterThan(0);
});

test(
  'a crafted history is shown as text, and runs nothing',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    // P12, P13: not on reload, not on opening, not on showing a step.
    const evil =
      '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';
    const now = '2026-01-27T10:00:00.000Z';
    const suggestion = `# ${evil}\nopen("ran.txt", "w").close()`;
    const session = {
      meta: {
        version: '1.0',
        notebook_id: 'crafted',
        cell_id: 'ce11-0001',
        created_at: now,
        last_updated: now
      },
      interactions: [
        {
          turn_id: 1,
          timestamp: now,
          user_request: {
            intent: `${evil} [link](javascript:alert(1))`,
            current_code: '',
            language: 'python'
          },
          ai_response: {
            suggestion,
            explanation: `${evil} ![img](http://example.invalid/leak.png)`,
            status: 'success',
            error: null
          },
          model: evil
        }
      ],
      events: [
        {
          seq: 2,
          type: 'accept',
          turn_id: 1,
          timestamp: now,
          source: suggestion
        }
      ]
    };
    await lab.write(
      '.aiserver_sessions/crafted_ce11-0001.json',
      JSON.stringify(session)
    );
    const asked: string[] = [];
    page.on('request', request => asked.push(request.url()));
    await openNotebook([suggestion], {
      metadata: { aiserver: { notebook_id: 'crafted' } }
    });
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await new CellUnderTest(page, 0).focus();
    await expect(replay.steps).toHaveCount(1);
    await expect(replay.code).toContainText('onerror');
    await expect(replay.panel).toContainText(
      '![img](http://example.invalid/leak.png)'
    );
    await expect(
      replay.panel.locator('img, script, a[href^="javascript"]')
    ).toHaveCount(0);
    await replay.tab('Notebook').click();
    await expect(replay.panel).toContainText('<img');
    expect(await page.evaluate(() => (window as any).pwned)).toBeUndefined();
    expect(
      asked.filter(url => !url.startsWith(lab.url) && !url.startsWith('data:'))
    ).toEqual([]);
    await expect(new CellUnderTest(page, 0).output).toHaveCount(0);
  }
);
