import type { BlameLine } from '../../api/types';
import type { IHistory } from '../../tokens';
import { countOverwrittenLines } from './problems';

const KEY = { notebookId: 'nb', cellId: 'c' };

const target = (source: string, key: typeof KEY | null = KEY) => ({
  key: () => key,
  source: () => source
});

function historyOf(...authors: string[]) {
  const blame = jest.fn(async () => ({
    lines: authors.map(author => ({ author }) as BlameLine)
  }));
  return { history: { api: { blame } } as unknown as IHistory, blame };
}

describe('countOverwrittenLines', () => {
  it.each([
    ['a\nb\nc', 'a\nB\nc', 1, 'a changed line'],
    ['a\nb\nc', 'c', 2, 'removed lines'],
    ['a\nb\nc', 'c\na\nb', 0, 'moved lines'],
    ['a\nb\nc', 'if x:\n    a\n    b\n    c', 0, 'indented lines'],
    ['a\n\nc', 'a\nc', 0, 'a blank line'],
    ['a\nb\nc', 'a\nb\nc\nd', 0, 'an added line']
  ])('counts %j → %j: %s (%s)', async (source, code, count) => {
    const { history } = historyOf('person', 'person', 'person');
    expect(await countOverwrittenLines(history, target(source), code)).toBe(
      count
    );
  });

  it('counts no lines by a model, and none from before the history', async () => {
    const { history, blame } = historyOf('model', 'person');
    expect(await countOverwrittenLines(history, target('a\nb'), '')).toBe(1);
    blame.mockResolvedValue({
      lines: [{ author: 'person', existing: true } as BlameLine]
    });
    expect(await countOverwrittenLines(history, target('a'), 'b')).toBe(0);
  });

  it('asks the server only if lines are lost', async () => {
    const { history, blame } = historyOf('person');
    await countOverwrittenLines(history, target('a'), 'a\nb');
    expect(blame).not.toHaveBeenCalled();
  });

  it('counts nothing if the contributors can not be read', async () => {
    const { history, blame } = historyOf();
    blame.mockRejectedValue(new Error('gone'));
    expect(await countOverwrittenLines(history, target('a'), 'b')).toBe(0);
    expect(await countOverwrittenLines(history, target('a', null), 'b')).toBe(
      0
    );
  });
});
