/**
 * A cell's result is handed to the model by an explicit act, and the numbers of the answer are
 * compared with it.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';

/** Code that shows a PNG of 2 × 1 pixels with a text that viewers ignore. */
const PLOT = `
import base64, struct, zlib
from IPython.display import Image
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
header = struct.pack(">IIBBBBB", 2, 1, 8, 0, 0, 0, 0)
chunks = [(b"IHDR", header), (b"tEXt", b"x\\0canary"), (b"IDAT", zlib.compress(b"\\0\\x80\\x90")), (b"IEND", b"")]
Image(b"\\x89PNG\\r\\n\\x1a\\n" + b"".join(chunk(*c) for c in chunks))`;

test('a result is explained on request, and wrong numbers are marked (P15)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook(['print("mean", 85.0254 / 2, "canary-" "output")']);
  const cell = new CellUnderTest(page, 0);
  await cell.run();
  await cell.output.click({ button: 'right' });
  await page
    .getByRole('menuitem', { name: 'Explain This Cell’s Result' })
    .click();
  await expect(cell.input).toHaveValue('/explain @output ');
  await expect(cell.input).toBeFocused();

  // Only the person's choice sends it to a remote model.
  await lab.model!.script(
    { text: 'It is 7.' },
    { text: 'The mean is **42.51**, not 44.' }
  );
  await cell.input.press('Enter');
  await expect(cell.row).toContainText('It is 7.');
  const sent = async (index: number) =>
    JSON.stringify((await lab.model!.requests())[index].body.messages);
  expect(await sent(0)).not.toContain('mean 42.5127');
  await expect(cell.row.locator('mark')).toHaveCount(0);

  await cell.input.fill('/explain @output again');
  await cell.row.getByRole('checkbox', { name: 'send its output' }).check();
  await cell.input.press('Enter');
  await expect(cell.row.locator('mark')).toHaveText('44');
  await expect(cell.row).toContainText(
    'The marked numbers aren’t in the output'
  );
  expect(await sent(1)).toContain('mean 42.5127 canary-output');

  // The warning about the number isn't lost in the inserted cell, nor in the replay.
  await cell.row.getByRole('button', { name: 'Insert below' }).click();
  await expect(page.locator('.jp-MarkdownCell')).toContainText(
    'Not in the output that the model got: 44'
  );
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel.locator('mark')).toHaveText('44');
});

test('a plot is sent as an image, drawn again, by choice (P15, P43)', async ({
  page,
  lab,
  openNotebook
}) => {
  await openNotebook([PLOT]);
  const cell = new CellUnderTest(page, 0);
  await cell.run();
  await cell.output.click({ button: 'right' });
  await page
    .getByRole('menuitem', { name: 'Explain This Cell’s Result' })
    .click();
  await lab.model!.script({ text: 'Two pixels.' });
  await cell.row
    .getByRole('checkbox', { name: 'send the plot as an image' })
    .check();
  await cell.input.press('Enter');
  await expect(cell.row).toContainText('Two pixels.');
  const requests = await lab.model!.requests();
  const { content } = requests[requests.length - 1].body.messages.pop()!;
  const parts = content as unknown as { image_url?: { url: string } }[];
  const [image] = parts.flatMap(part => part.image_url ?? []);
  const bytes = Buffer.from(image.url.split(',')[1], 'base64');
  expect(bytes.subarray(1, 4).toString()).toBe('PNG');
  expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([2, 1]);
  expect(bytes.includes('canary')).toBe(false);
});
