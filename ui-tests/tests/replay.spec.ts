/** A hidden sidebar costs the server nothing, and a shown one only what its view shows. */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, test } from '../fixtures/lab';
import { code } from '../fixtures/scripted';

test('it sends no requests for what is hidden', async ({
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
    const what =
      /aiserver\/(search|sessions\/.*replay|notebooks\/[^/]+\/(?:timeline|moments|report))/;
    asked.push(...(what.exec(request.url())?.slice(1) ?? []));
  });
  await new CellUnderTest(page, 1).focus();
  await cell.focus();
  expect(asked).toEqual([]);
  const replay = new ReplayUnderTest(page);
  await replay.open();
  // What the cell held at first, and the turn.
  await expect(replay.steps).toHaveCount(2);
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.filter(path => !path.startsWith('sessions'))).toEqual([]);
});
