/**
 * The cell's own view of its replay: every step of an eventful life, by mouse and by keyboard.
 */

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { eventfulLife, IRecord, sessionFile } from '../fixtures/history';
import { expect, Lab, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

/** Write a cell's life to the disk, and open its notebook at the end of it. */
async function openLife(
  lab: Lab,
  openNotebook: (
    sources: string[],
    options?: { metadata?: Record<string, unknown> }
  ) => Promise<string>,
  id: string,
  life: { records: IRecord[]; source: string }
): Promise<string> {
  await lab.write(
    `.aiserver_sessions/${id}_ce11-0001.json`,
    sessionFile(id, 'ce11-0001', life.records)
  );
  return openNotebook([life.source, 'other = 1'], {
    metadata: { aiserver: { notebook_id: id } }
  });
}

test(
  'an eventful history, by mouse (P13, P35)',
  { tag: '@core' },
  async ({ page, lab, openNotebook }) => {
    const life = eventfulLife();
    const file = await openLife(lab, openNotebook, 'life-mouse', life);
    const cell = new CellUnderTest(page, 0);
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await cell.focus();

    // Each kind of step has its words, and what was left says so.
    await expect(replay.steps).toHaveCount(6);
    await expect(replay.steps.nth(0)).toContainText('KeyError');
    await expect(replay.steps.nth(1)).toContainText('Edited by hand');
    await expect(replay.steps.nth(1)).toContainText('ran');
    await expect(replay.steps.nth(2)).toContainText('other branch');
    await expect(replay.steps.nth(3)).toContainText('Restored step 2');
    await expect(replay.steps.nth(5)).toContainText('Moved up');
    await expect(replay.panel).toContainText('no errors');

    // A version shows what was asked, answered and printed.
    await replay.steps.nth(1).getByRole('button').click();
    await expect(replay.output).toContainText('171 905');
    await replay.steps.nth(0).getByRole('button').click();
    await expect(replay.panel).toContainText('Request');
    await expect(replay.panel).toContainText(
      'It sums the revenue of each month and plots it.'
    );
    await expect(replay.panel).toContainText("KeyError: 'month'");

    // Any two: the slider chooses B, Shift chooses A.
    await replay.steps.nth(1).getByRole('button').click();
    await replay.button('Compare with another step').click();
    await expect(replay.panel.getByLabel('Compare step')).toHaveValue('1');
    await replay.steps.nth(4).getByRole('button').click();
    await replay.steps
      .nth(0)
      .getByRole('button')
      .click({ modifiers: ['Shift'] });
    await expect(replay.panel.getByLabel('Compare step')).toHaveValue('1');
    await expect(replay.panel.getByLabel('with step')).toHaveValue('5');
    await expect(replay.code).toContainText('每月收入');
    await replay.button('Close comparison').click();

    // Restore asks before it replaces what no step holds.
    await cell.focus();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('\n# mine');
    const mine = await cell.source();
    await replay.steps.nth(1).getByRole('button').click();
    await expect(replay.panel).toContainText('edited since');
    await replay.button('Restore this version').click();
    const question = page.getByRole('dialog');
    await expect(question).toContainText('has changed since its last step');
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await cell.source()).toBe(mine);
    await replay.button('Restore this version').click();
    await question.getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => cell.source()).toBe(life.records[3].source);
    // What it replaced is recorded; one undo brings it back.
    await expect
      .poll(async () => (await lab.sessions('life-mouse'))[0].events?.at(-1))
      .toMatchObject({
        type: 'restore',
        data: { from_seq: 4, replaced: mine }
      });
    await replay.button('Undo').click();
    expect(await cell.source()).toBe(mine);

    // A branch: the version is in the cell, and the next request goes on from its turn.
    await replay.steps.nth(0).getByRole('button').click();
    await lab.model!.script(code('branched = True'));
    await replay.choose('Continue from here…');
    // It asks once more, unless what the cell holds was noted meanwhile.
    const sure = question.getByRole('button', { name: 'Restore' });
    await expect(sure.or(cell.row)).toBeVisible();
    if (await sure.isVisible()) {
      await sure.click();
    }
    await expect(cell.row).toContainText('continues from “');
    expect(await cell.source()).toBe(life.records[1].source);
    await cell.ask('another way');
    await cell.accept(60_000); // The first request of a server loads much.
    await expect
      .poll(async () =>
        (await lab.sessions('life-mouse'))[0].interactions.at(-1)
      )
      .toMatchObject({ parent_turn_id: 1, turn_id: 4 });
    await expect(replay.panel).toContainText('another way');

    expect(await lab.notebookId(file)).toBe('life-mouse');
  }
);

test('an eventful history, by keyboard only (P38)', async ({
  page,
  lab,
  openNotebook
}) => {
  const life = eventfulLife();
  await openLife(lab, openNotebook, 'life-keys', life);
  const cell = new CellUnderTest(page, 0);
  const replay = new ReplayUnderTest(page);
  const keys = page.keyboard;
  const tabTo = async (
    target: ReturnType<ReplayUnderTest['button']>,
    key = 'Tab'
  ) => {
    for (let i = 0; i < 25; i++) {
      if (await target.evaluate(node => node === document.activeElement)) {
        return;
      }
      await keys.press(key);
    }
    await expect(target).toBeFocused();
  };
  await keys.press('ControlOrMeta+Alt+r');
  await expect(replay.slider).toBeFocused();
  await expect(replay.slider).toHaveAttribute('aria-valuemax', '6');

  // The slider: by one, to the ends, and the space bar plays.
  await keys.press('Home');
  await expect(replay.slider).toHaveAttribute(
    'aria-valuetext',
    'Step 1 of 6: Plot revenue by month'
  );
  await keys.press('PageUp');
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '2');
  await keys.press('ArrowRight');
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '3');
  await keys.press(' ');
  await expect(replay.button('Pause')).toBeVisible();
  await keys.press(' ');
  await expect(replay.button('Play')).toBeVisible();
  await keys.press('End');
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '6');

  // The list: one stop for Tab, arrows go through it.
  await tabTo(replay.steps.nth(5).getByRole('button'));
  await keys.press('ArrowUp');
  await keys.press('ArrowUp');
  await expect(replay.steps.nth(3).getByRole('button')).toBeFocused();
  await keys.press('Home');
  await expect(replay.steps.nth(0).getByRole('button')).toBeFocused();
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '1');
  await keys.press('ArrowDown');
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '2');

  // Compare: the field has the focus, Escape ends it.
  await tabTo(replay.button('Compare with another step'), 'Shift+Tab');
  await keys.press('Enter');
  await expect(replay.panel.getByLabel('Compare step')).toBeFocused();
  await keys.press('ArrowDown');
  await expect(replay.panel.getByLabel('Compare step')).toHaveValue('1');
  await keys.press('Escape');
  await expect(replay.panel.getByLabel('Compare step')).toHaveCount(0);
  await expect(replay.button('Compare with another step')).toBeFocused();

  // Restore, and take it back.
  await tabTo(replay.button('Restore this version'), 'Shift+Tab');
  await keys.press('Enter');
  await expect.poll(() => cell.source()).toBe(life.records[3].source);
  await tabTo(replay.button('Undo'), 'Shift+Tab');
  await keys.press('Enter');
  await expect.poll(() => cell.source()).toBe(life.source);
  await expect(replay.button('Restore this version')).toBeFocused();

  // Branch: the cursor is where the request is written.
  await lab.model!.script(code('branched = True'));
  await tabTo(replay.more);
  await keys.press('Enter');
  await expect(replay.entry('Continue from here…')).toBeVisible();
  await keys.press('Escape');
  await expect(replay.more).toBeFocused();
  await keys.press('Enter');
  await keys.press('Enter'); // the first entry
  // It asks, unless what the undo brought back was noted meanwhile.
  const sure = page
    .getByRole('dialog')
    .getByRole('button', { name: 'Restore' });
  await expect(sure.or(cell.input)).toBeVisible();
  if (await sure.isVisible()) {
    await sure.press('Enter');
  }
  await expect(cell.input).toBeFocused();
  await keys.type('another way');
  await keys.press('Enter');
  await expect(cell.button(/^Accept$/)).toBeEnabled({ timeout: 60_000 });
  await keys.press('Shift+Enter');
  await expect.poll(() => cell.source()).toBe('branched = True');
  expect(
    (await lab.sessions('life-keys'))[0].interactions.at(-1)
  ).toMatchObject({ parent_turn_id: 1 });
});

test('authorship of lines: by keyboard, live, without a request for each key press', async ({
  page,
  lab,
  openNotebook
}) => {
  await openLife(lab, openNotebook, 'life-blame', eventfulLife());
  const cell = new CellUnderTest(page, 0);
  const replay = new ReplayUnderTest(page);
  const keys = page.keyboard;
  const asked: string[] = [];
  page.on('request', request => {
    if (/\/blame(\?|$)/.test(request.url())) {
      asked.push(request.url());
    }
  });
  await cell.focus();
  expect(asked).toHaveLength(0); // Off until somebody wants it.
  await keys.press('ControlOrMeta+Alt+b');
  await expect(cell.authors).toHaveText(['1', '', '3', '1', '3', '']);
  const before = asked.length;

  // The line with the cursor, in words.
  await keys.press('ControlOrMeta+Home');
  await expect(cell.authorship).toContainText('“Plot revenue by month”');
  await keys.press('ArrowDown');
  await expect(cell.authorship).toContainText('By hand');

  // And the line that the mouse points at, as long as it does.
  await cell.authors.nth(4).hover();
  await expect(cell.authorship).toContainText('“改成柱状图');
  await page.mouse.move(0, 0);
  await expect(cell.authorship).toContainText('By hand');

  // It follows what is typed.
  await keys.press('ControlOrMeta+End');
  await keys.type('\nplt.show()');
  await expect(cell.authorship).toContainText('Not recorded yet');
  await expect(cell.authors).toHaveCount(7);
  // Each recorded edit is one request, however many keys it took.
  expect(asked.length - before).toBeLessThan('\nplt.show()'.length / 2);

  // From the line to its step, by keys and by mouse.
  await keys.press('ControlOrMeta+Home');
  await keys.press('ControlOrMeta+Alt+l');
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '1');
  await cell.authors.nth(1).click();
  await expect(replay.slider).toHaveAttribute('aria-valuenow', '2');

  // And off again.
  await cell.focus();
  await keys.press('ControlOrMeta+Alt+b');
  await expect(cell.authors).toHaveCount(0);
  await expect(cell.authorship).toHaveCount(0);
});

for (const reducedMotion of ['no-preference', 'reduce'] as const) {
  test(`what plays, motion: ${reducedMotion} (P38)`, async ({
    page,
    lab,
    openNotebook
  }) => {
    await page.emulateMedia({ reducedMotion });
    const id = `life-${reducedMotion}`;
    await openLife(lab, openNotebook, id, eventfulLife());
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await new CellUnderTest(page, 0).focus();
    await page.evaluate(() => {
      const moved: string[] = ((window as any).moved = []);
      document.addEventListener('animationstart', event =>
        moved.push(event.animationName)
      );
    });
    await replay.panel.getByLabel('Speed').selectOption('4');
    await replay.slider.press('Home');
    await replay.slider.press(' ');
    await expect(replay.slider).toHaveAttribute('aria-valuenow', '6');
    await expect(replay.button('Play')).toBeVisible();
    const moved = await page.evaluate(() =>
      (window as any).moved.filter((name: string) => /comes|goes/.test(name))
    );
    if (reducedMotion === 'reduce') {
      expect(moved).toEqual([]);
    } else {
      expect(moved).toContain('jp-aiserver-replay-comes');
      expect(moved).toContain('jp-aiserver-replay-goes');
    }
    // Who goes to a step sees it at once.
    await replay.slider.press('Home');
    await replay.slider.press('ArrowRight');
    await expect(replay.panel.locator('.jp-mod-playing')).toHaveCount(0);
  });
}

test('a thousand steps: only visible rows are drawn', async ({
  page,
  lab,
  openNotebook
}) => {
  const records: IRecord[] = Array.from({ length: 1000 }, (_, i) => ({
    type: 'edit',
    source: `x = ${i}\nprint(x)`,
    data: { trigger: 'run' }
  }));
  await openLife(lab, openNotebook, 'life-long', {
    records,
    source: 'x = 999\nprint(x)'
  });
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await new CellUnderTest(page, 0).focus();
  await expect(replay.slider).toHaveAttribute('aria-valuemax', '1000');
  await expect(replay.current).toHaveAttribute('aria-posinset', '1000');
  expect(await replay.steps.count()).toBeLessThan(60);
  await replay.current.getByRole('button').focus();
  await page.keyboard.press('Home');
  await expect(replay.current).toHaveAttribute('aria-posinset', '1');
  await expect(replay.current.getByRole('button')).toBeFocused();
  await expect(replay.current).toBeInViewport();
  await page.keyboard.press('PageDown');
  await expect(replay.current).toHaveAttribute('aria-posinset', '101');
  expect(await replay.steps.count()).toBeLessThan(60);
});
