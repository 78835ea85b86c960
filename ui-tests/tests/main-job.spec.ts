/**
 * The main job, end to end, with the real model on this computer: ask, accept, run; ask for
 * a change, accept, run; restart the server; replay.
 */
import { execFileSync } from 'node:child_process';
import * as path from 'node:path';

import { CellUnderTest, ReplayUnderTest } from '../fixtures/cells';
import { expect, openPath, reload, test } from '../fixtures/lab';

// Galata's watch over kernels would fail while the server restarts.
test.use({
  modelKind: 'embedded',
  kernels: null,
  sessions: null,
  terminals: null
});
test.setTimeout(420_000);

const ANSWER = 180_000; // ms: one thread, maybe on a busy machine

const DATA = `date,city,price,quantity
2026-01-01,北京,11.5,3
2026-01-02,Berlin,22.5,1
2026-01-03,Lagos,33.5,7
2026-01-04,上海,44.5,2
2026-01-05,Lima,55.5,9
2026-01-06,Oslo,66.5,4
2026-01-07,Turku,77.5,8
`;

test(
  'a cell is written, changed, stored across a restart and replayed',
  { tag: '@core' },
  async ({ page, lab, tmpPath, openNotebook }) => {
    await lab.write(`${tmpPath}/data.csv`, DATA);
    const file = await openNotebook(['']);
    const cell = new CellUnderTest(page, 0);

    await cell.open();
    await cell.ask('读取 data.csv 并显示前5行');
    await cell.accept(ANSWER);
    await cell.run();
    // The five rows are there, and no sixth.
    await expect(cell.output.first()).toContainText('55.5');
    for (const value of ['北京', '22.5', '33.5', '44.5']) {
      await expect(cell.output.first()).toContainText(value);
    }
    await expect(cell.output.first()).not.toContainText('66.5');
    const first = await cell.source();

    await cell.ask("修改为只读取 'price' 列");
    await cell.accept(ANSWER);
    await cell.run();
    const output = cell.output.first();
    await expect(output).toContainText('55.5');
    await expect(output).not.toContainText('66.5');
    await expect(output).not.toContainText('Berlin');
    await expect(output).not.toContainText('quantity');
    const second = await cell.source();
    expect(second).not.toBe(first);

    await page.notebook.save();
    const id = await lab.notebookId(file);
    await lab.restart();
    await reload(page);
    await openPath(page, file);

    const [session] = await lab.sessions(id);
    expect(session.interactions.map(turn => turn.user_request.intent)).toEqual([
      '读取 data.csv 并显示前5行',
      "修改为只读取 'price' 列"
    ]);
    expect(
      session.interactions.map(turn => turn.ai_response.suggestion.trim())
    ).toEqual([first.trim(), second.trim()]);
    validate(path.join(lab.root, '.aiserver_sessions'));

    await new CellUnderTest(page, 0).focus();
    const replay = new ReplayUnderTest(page);
    await replay.open();
    await expect(replay.panel).toContainText('读取 data.csv 并显示前5行');
    await expect(replay.panel).toContainText("修改为只读取 'price' 列");
  }
);

/** Every session file in a folder conforms to the published schema. */
function validate(folder: string): void {
  const program = `
import json, pathlib, sys, jsonschema, aiserver
schema = json.loads((pathlib.Path(aiserver.__file__).parent / "schemas/session.schema.json").read_text())
files = sorted(pathlib.Path(sys.argv[1]).glob("*.json"))
assert files
for file in files:
    jsonschema.validate(json.loads(file.read_text("utf-8")), schema)
`;
  execFileSync('python', ['-c', program, folder], { stdio: 'pipe' });
}
