/**
 * Inline completion, in JupyterLab's inline completer. The server's answers are played, because the
 * embedded model would write something else on another computer.
 */
import { galata, IJupyterLabPageFixture } from '@jupyterlab/galata';

import { CellUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';

const COMPLETER = '@jupyterlab/completer-extension:inline-completer';
const GHOST = '.jp-GhostText';

/** Answer each request for a completion with `text`, and return the bodies of the requests. */
async function play(
  page: IJupyterLabPageFixture,
  text: string
): Promise<Record<string, unknown>[]> {
  const bodies: Record<string, unknown>[] = [];
  await page.route('**/aiserver/complete*', route => {
    bodies.push(route.request().postDataJSON());
    return route.fulfill({ json: { text } });
  });
  return bodies;
}

test.describe('turned on', () => {
  test.use({
    mockSettings: {
      ...galata.DEFAULT_SETTINGS,
      [COMPLETER]: {
        providers: { aiserver: { enabled: true, debouncerDelay: 0 } }
      }
    }
  });

  test('Tab inserts the completion; an open prompt row prevents it', async ({
    page,
    openNotebook
  }) => {
    const bodies = await play(page, '42  # of course');
    await openNotebook(['import math', '']);
    const cell = new CellUnderTest(page, 1);
    await cell.focus();
    await page.keyboard.type('answer = ');
    await expect
      .poll(() => bodies.at(-1))
      .toEqual({
        prefix: 'answer = ',
        suffix: '',
        language: 'python',
        cells: ['import math']
      });
    // As a list, because JupyterLab shows two such elements for a moment.
    await expect(cell.editor.locator(GHOST)).toHaveText(['42  # of course']);
    await page.keyboard.press('Tab');
    const source = 'answer = 42  # of course';
    expect(await cell.source()).toBe(source);
    await expect.poll(() => bodies.at(-1)?.prefix).toBe(source);

    await cell.open();
    const count = bodies.length;
    await cell.focus();
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await cell.run();
    expect(bodies.length).toBe(count);
  });

  test('a missing model is reported once', async ({ page, openNotebook }) => {
    let count = 0;
    const message = 'Inline completion needs a Qwen2.5-Coder model.';
    await page.route('**/aiserver/complete*', route => {
      count += 1;
      const error = { code: 'no_completion_model', message, requestId: 'x' };
      return route.fulfill({ status: 409, json: error });
    });
    await openNotebook(['']);
    const cell = new CellUnderTest(page, 0);
    await cell.focus();
    await page.keyboard.type('x = ');
    await expect(page.getByText(message)).toHaveCount(1);
    const before = count;
    await page.keyboard.type('y + ');
    await expect.poll(() => count).toBeGreaterThan(before);
    await expect(page.getByText(message)).toHaveCount(1);
    await expect(
      page.getByRole('button', { name: 'Install a model…' })
    ).toBeVisible();
  });
});
