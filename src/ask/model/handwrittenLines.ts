/** Finds the lines that a person wrote and that a suggestion would change or remove. */
import { changedLines } from '../../diff/changedLines';
import type { ICellKey, IHistory } from '../../tokens';

/**
 * Count the lines of the cell's code (`source`) that a person wrote and that are missing from the
 * suggestion (`code`). Lines of the cell's existing content don't count. If the contributors of the
 * lines can't be read, return 0.
 */
export async function countOverwrittenLines(
  history: IHistory,
  key: ICellKey | null,
  source: string,
  code: string
): Promise<number> {
  const isRemoved = removedLines(source, code);
  if (!key || !isRemoved.includes(true)) {
    return 0;
  }
  try {
    const { lines } = await history.api.blame(key, { source });
    return lines.filter(
      ({ author, existing }, index) =>
        isRemoved[index] && author === 'person' && !existing
    ).length;
  } catch {
    return 0; // The cell has no history yet, or the server is not reachable.
  }
}

/**
 * Return for each line of `source` whether it is missing from `code`. A blank line doesn't count as
 * missing, nor does a line that is only moved or indented differently.
 */
function removedLines(source: string, code: string): boolean[] {
  const texts = new Set(code.split('\n').map(line => line.trim()));
  const lines = changedLines(source, code).filter(
    ({ kind }) => kind !== 'added'
  );
  const sourceLines = source.split('\n');
  return lines.map(({ kind }, index) => {
    const text = (sourceLines[index] ?? '').trim();
    return kind === 'removed' && text !== '' && !texts.has(text);
  });
}
