/**
 * A server as people run it: a token, XSRF on, and an address with a prefix that is no plain
 * ASCII.
 */
import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, problemsOfOurs, test } from '../fixtures/place';
import { code } from '../fixtures/scripted';
import { execute } from '../fixtures/shell';

test.use({
  placeOptions: { prefix: `/user/${encodeURIComponent('张三 x@y')}/` }
});

test('the main job behind a token, XSRF and an odd prefix, over a restart', async ({
  page,
  place
}) => {
  // P3 and P4: the token is in no URL that is asked for after the login, and in no log line.
  const problems = problemsOfOurs(page);
  await place.openNew(page, ['']);
  const urls: string[] = [];
  page.on('request', request => urls.push(request.url()));
  const cell = new CellUnderTest(page, 0);
  await place.model.script(code("print('one')"), code("print('two')"));
  await cell.ask('打印 one');
  await cell.accept();
  await cell.run();
  await expect(cell.output).toContainText('one');
  await cell.ask('改成 two');
  await cell.accept();
  await cell.run();
  await expect(cell.output).toContainText('two');
  await execute(page, 'docmanager:save');

  const ours = urls.filter(url => url.includes('/aiserver/'));
  expect(ours.length).toBeGreaterThan(0);
  for (const url of ours) {
    expect(url.startsWith(`${place.url}/`)).toBe(true);
  }
  expect(urls.filter(url => url.includes(place.token))).toEqual([]);
  expect(
    place.log.filter(
      line => /aiserver/.test(line) && line.includes(place.token)
    )
  ).toEqual([]);

  // The same request without the XSRF header is refused.
  const bare = await page.request.post(`${place.url}/aiserver/generate`, {
    data: {}
  });
  expect(bare.status()).toBe(403);

  await place.restart();
  await place.open(page, 'cells.ipynb');
  await cell.focus();
  const replay = new ReplayUnderTest(page);
  await replay.open();
  await expect(replay.panel).toContainText('打印 one');
  await expect(replay.panel).toContainText('改成 two');
  expect(problems()).toEqual([]);
});
