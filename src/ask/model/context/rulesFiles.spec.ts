import type { RulesFile } from '../../../api/types';
import { RulesFiles } from './rulesFiles';

const file = (path: string, sha256 = 'a'.repeat(64)): RulesFile => ({
  path,
  size: 3,
  sha256,
  text: 'Use polars.'
});

function setup(files: RulesFile[], path = 'project/notes/n.ipynb') {
  const rulesFiles = jest.fn(async (_path: string) => [...files]);
  const rules = new RulesFiles({ rulesFiles }, () => path);
  const changes: string[] = [];
  rules.changed.connect((_, change) => changes.push(change));
  return { rules, rulesFiles, changes };
}

const choices = (rules: RulesFiles) => rules.list.map(({ choice }) => choice);

describe('RulesFiles', () => {
  beforeEach(() => window.localStorage.clear());

  it('uses a file only after the person has chosen it (P46)', async () => {
    const files = [
      file('AGENTS.md'),
      file('project/CLAUDE.md', 'b'.repeat(64))
    ];
    const { rules, rulesFiles, changes } = setup(files);
    await rules.load();
    expect(rulesFiles).toHaveBeenCalledWith('project/notes/n.ipynb');
    expect(choices(rules)).toEqual([null, null]);
    expect(rules.used).toEqual([]);
    rules.choose(files[0], true);
    rules.choose(files[1], false);
    expect(choices(rules)).toEqual(['used', 'ignored']);
    expect(rules.used).toEqual([
      { path: 'AGENTS.md', sha256: files[0].sha256 }
    ]);
    rules.choose(files[0], false);
    expect(rules.used).toEqual([]);
    expect(changes).toEqual(['list', 'choice', 'choice', 'choice']);
  });

  it('remembers the choices after a reload, without the list', async () => {
    const files = [
      file('project/notes/AGENTS.md'),
      file('other/AGENTS.md'),
      file('project/.github/copilot-instructions.md')
    ];
    const before = setup(files).rules;
    files.forEach(each => before.choose(each, true));
    expect(setup([]).rules.used.map(({ path }) => path)).toEqual([
      'project/.github/copilot-instructions.md',
      'project/notes/AGENTS.md'
    ]);
    expect(setup([], 'n.ipynb').rules.used).toEqual([]);
  });

  it('asks again after a file has changed, but not if it is ignored', async () => {
    const files = [file('AGENTS.md'), file('CLAUDE.md')];
    const { rules } = setup(files);
    await rules.load();
    rules.choose(files[0], true);
    rules.choose(files[1], false);
    const [first, second] = files;
    files[0] = { ...first, sha256: 'c'.repeat(64) };
    files[1] = { ...second, sha256: 'c'.repeat(64) };
    await rules.load();
    expect(choices(rules)).toEqual(['changed', 'ignored']);
  });

  it('continues to use a file that the person saves here, and no other', async () => {
    const files = [
      file('AGENTS.md'),
      file('CLAUDE.md', 'b'.repeat(64)),
      file('project/AGENTS.md')
    ];
    const { rules, rulesFiles } = setup(files);
    await rules.load();
    rules.choose(files[0], true);
    rules.choose(files[2], true);
    files.forEach(
      (each, at) => (files[at] = { ...each, sha256: `${at}`.repeat(64) })
    );
    await rules.onSaved('notes.md');
    expect(rulesFiles).toHaveBeenCalledTimes(1);
    await rules.onSaved('AGENTS.md');
    expect(choices(rules)).toEqual(['used', null, 'changed']);
    // The last one has changed without the person, so a later save is no choice.
    await rules.onSaved('project/AGENTS.md');
    expect(choices(rules)).toEqual(['used', null, 'changed']);
  });

  it('shows the result of the last call, and the old list if the server fails', async () => {
    let resolve: (files: RulesFile[]) => void = () => undefined;
    const { rules, rulesFiles } = setup([file('AGENTS.md')]);
    rulesFiles.mockReturnValueOnce(new Promise(done => (resolve = done)));
    const first = rules.load();
    await rules.load();
    resolve([]);
    await first;
    expect(choices(rules)).toEqual([null]);
    rulesFiles.mockRejectedValueOnce(new Error('offline'));
    await rules.load();
    expect(choices(rules)).toEqual([null]);
  });

  it('leaves out a copy of a nearer file, unless it was chosen', async () => {
    const files = [file('AGENTS.md'), file('notes/AGENTS.md')];
    const rules = new RulesFiles(
      { rulesFiles: async () => files },
      () => 'notes/n.ipynb'
    );
    await rules.load();
    const paths = () => rules.list.map(({ path }) => path);
    expect(paths()).toEqual(['notes/AGENTS.md']);
    // Otherwise, a person couldn't see that it is sent.
    rules.choose(files[0], true);
    expect(paths()).toEqual(['AGENTS.md', 'notes/AGENTS.md']);
  });
});
