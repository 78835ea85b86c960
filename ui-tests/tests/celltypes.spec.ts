/**
 * The language of the answer is the cell's: of an R kernel, of cell magics, of Markdown cells.
 */
import { execFileSync } from 'node:child_process';

import { CellUnderTest } from '../fixtures/cells';
import { Lab, expect, notebookFile, openPath, test } from '../fixtures/lab';

const NESTED = '# Users\n\n```python\nread()\n```\n\nThey are few.';

/** The system message of the last request. */
async function rules(lab: Lab): Promise<string> {
  const requests = await lab.model!.requests();
  return requests[requests.length - 1].body.messages[0].content;
}

function hasKernel(name: string): boolean {
  const output = execFileSync('jupyter', ['kernelspec', 'list', '--json'], {
    encoding: 'utf-8',
    stdio: ['ignore', 'pipe', 'ignore']
  });
  return name in JSON.parse(output).kernelspecs;
}

test('an R notebook gets R, from a real R kernel', async ({
  page,
  lab,
  openNotebook
}) => {
  // A test that is left out proves nothing: `make galata` installs it where it can.
  expect(
    hasKernel('ir'),
    'IRkernel is missing: apt-get install r-cran-irkernel'
  ).toBe(true);
  const file = await openNotebook([''], {
    // As a person makes it who edits by hand: nothing says which language it is.
    metadata: {
      kernelspec: { display_name: 'R', name: 'ir' },
      language_info: undefined
    }
  });
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script({ text: '```r\nx <- c(1, 2, 6)\nmean(x)\n```' });
  await cell.ask('the mean of 1, 2 and 6');
  await cell.accept();
  expect(await rules(lab)).toContain('whose kernel runs R.');
  await cell.run();
  await expect(cell.output).toContainText('3');
  const [session] = await lab.sessions(await lab.notebookId(file));
  expect(session.interactions[0].user_request).toMatchObject({ language: 'R' });
});

test('below a cell magic the language is the magic’s, and its line stays', async ({
  page,
  lab,
  openNotebook
}) => {
  const file = await openNotebook(['%%bash -e\necho one', '%%sql\n']);
  const cell = new CellUnderTest(page, 0);
  await lab.model!.script(
    { text: '```bash\necho two\n```', chunks: undefined, hold_after: 2 },
    { text: '```sql\nSELECT 1\n```' }
  );
  await cell.ask('two');
  await lab.model!.release();
  await cell.accept();
  expect(await cell.source()).toBe('%%bash -e\necho two');
  expect(await rules(lab)).toContain('%%bash: below that line it is Bash');
  await cell.run();
  await expect(cell.output).toContainText('two');
  const other = new CellUnderTest(page, 1);
  await other.ask('one');
  await other.accept();
  expect(await other.source()).toBe('%%sql\nSELECT 1');
  const sessions = await lab.sessions(await lab.notebookId(file));
  expect(
    sessions
      .map(each => (each.interactions[0].user_request as any).language)
      .sort()
  ).toEqual(['bash', 'sql']);
});

test('a Markdown cell is written, shown as a diff, and rendered only by the person', async ({
  page,
  lab,
  tmpPath
}) => {
  // P13: what was accepted is drawn only when the person runs the cell.
  await lab.model!.clear();
  const file = `${tmpPath}/text.ipynb`;
  await lab.write(file, notebookFile(['x = 1', 'md:# Title']));
  await openPath(page, file);
  const cell = new CellUnderTest(page, 1);
  const rendered = cell.root.locator('.jp-MarkdownOutput');
  await expect(rendered).toContainText('Title');

  await rendered.click();
  await page.keyboard.press('ControlOrMeta+k');
  await expect(cell.input).toBeFocused();
  await lab.model!.script({ text: '```markdown\n' + NESTED + '\n```' });
  await cell.ask('say how to read it');
  await expect(cell.button(/^Accept$/)).toBeEnabled();
  await expect(cell.proposal).toContainText('They are few.');
  await expect(cell.proposal).toContainText('# Title');
  expect(await rules(lab)).toContain('the text of one Markdown cell');
  await cell.button(/^Reject/).click();
  await expect(rendered).toContainText('Title');
  expect(await cell.source()).toBe('# Title');

  await rendered.click();
  await page.keyboard.press('ControlOrMeta+k');
  await lab.model!.script({ text: '````markdown\n' + NESTED + '\n````' });
  await cell.ask('again');
  await cell.accept();
  expect(await cell.source()).toBe(NESTED);
  await expect(cell.editor).toBeVisible();
  await cell.editor.press('ControlOrMeta+Enter');
  await expect(rendered.locator('pre')).toContainText('read()');

  await page.keyboard.press('ControlOrMeta+z');
  await expect.poll(() => cell.source()).toBe('# Title');
});
