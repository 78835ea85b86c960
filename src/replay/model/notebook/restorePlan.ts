/** Plans how a notebook becomes again what it was after a moment. */
import type { ICell } from '@jupyterlab/nbformat';

import type { CellSnapshot } from '../../../api/types';
import { toCellType } from '../../../cells/context';
import { type Operation, toInsertion } from '../../../cells/operations';
import { listChanges } from '../../../diff/lists';

const MARK = /‹redacted:[^›]*›/;
/** A private key, of which the end may be missing. One mark replaces its lines. */
const PRIVATE_KEY =
  /-----BEGIN [^\n]*PRIVATE KEY-----(?:[^]*?PRIVATE KEY-----|(?:\n[\w+/=]+)*)/g;

/** A cell of the notebook as it is now. */
export interface IPresentCell {
  readonly id: string;
  /** The source, with `\n` as its line breaks. */
  readonly source: string;
  /** The SHA-256 of the source with its own line breaks. */
  readonly digest: string;
  /** The cell in the notebook format. */
  readonly content: ICell;
}

export interface IPlan {
  readonly operations: readonly Operation[];
  /** The numbers of cells that change, come back, are removed and move. */
  readonly counts: Readonly<
    Record<'changed' | 'returned' | 'removed' | 'moved', number>
  >;
  /** All cells as they will be, in the notebook format. */
  readonly cells: readonly ICell[];
  /** The number of cells that can't be restored: too large to be recorded, or deleted raw cells. */
  readonly missing: number;
  /** The number of cells that get redaction marks in place of keys and passwords. */
  readonly redacted: number;
}

/**
 * Plan the operations that make the cells `now` those of a snapshot.
 *
 * @param hasHistory Whether a cell has a history. Before its first step, it was blank.
 * @param recorded Returns a cell of the snapshot in the notebook format, with its outputs.
 */
export async function planRestore(
  now: readonly IPresentCell[],
  snapshot: readonly CellSnapshot[],
  hasHistory: (cellId: string) => boolean,
  recorded: (cell: CellSnapshot) => Promise<ICell>
): Promise<IPlan> {
  const present = new Map(now.map(cell => [cell.id, cell]));
  const isRecorded = ({ missing, cellId, source }: CellSnapshot) =>
    missing === undefined && (hasHistory(cellId) || source !== '');
  const isLost = (cell: CellSnapshot) =>
    !isRecorded(cell) && !present.has(cell.cellId);
  const wanted = snapshot.filter(cell => !isLost(cell));
  const cells = await Promise.all(
    wanted.map(async cell => {
      const old = present.get(cell.cellId);
      if (!old) {
        return recorded(cell);
      }
      const source = isRecorded(cell)
        ? withKeys(cell.source, old.source)
        : old.source;
      const { cell_type, metadata, attachments } = old.content;
      const type = toCellType(cell.type);
      if (source === old.source && type === toCellType(cell_type)) {
        return old.content;
      }
      const kept = type !== 'code' && attachments ? { attachments } : {};
      return { ...(await recorded(cell)), source, metadata, ...kept };
    })
  );
  const ids = wanted.map(({ cellId }) => cellId);
  const idSet = new Set(ids);
  const removed = now.filter(({ id }) => !idSet.has(id));
  const moved = movedIds(
    now.map(({ id }) => id).filter(id => idSet.has(id)),
    ids.filter(id => present.has(id))
  );
  const operations = removed.map(toDeletion);
  cells.forEach((cell, index) => {
    const id = ids[index];
    const after = ids[index - 1] ?? null;
    const old = present.get(id);
    if (!old) {
      operations.push(toInsertion(cell, after));
    } else if (!canStay(old.content, cell)) {
      operations.push(toDeletion(old), toInsertion(cell, after));
    } else {
      if (moved.has(id)) {
        operations.push({ op: 'move', cell: id, after });
      }
      if (cell !== old.content) {
        const source = cell.source as string;
        operations.push({ op: 'edit', cell: id, base: old.digest, source });
      }
    }
  });
  const different = cells.filter(
    (cell, index) => cell !== present.get(ids[index])?.content
  );
  const returned = ids.filter(id => !present.has(id)).length;
  return {
    operations,
    cells,
    counts: {
      changed: different.length - returned,
      returned,
      removed: removed.length,
      moved: moved.size
    },
    redacted: different.filter(({ source }) => MARK.test(source as string))
      .length,
    missing: snapshot.filter(
      cell =>
        cell.missing !== undefined ||
        // A code cell without a source was blank.
        (isLost(cell) && toCellType(cell.type) === 'raw')
    ).length
  };
}

/**
 * Return a recorded source with the keys and passwords of the present one. The history has redaction
 * marks in place of them. A line with a mark becomes the present line that fits it, if no other line
 * could be meant; a wrong key would be worse than a mark.
 */
function withKeys(recorded: string, present: string): string {
  const keyInOneLine = (key: string) => key.replaceAll('\n', '\r');
  const lines = present.replace(PRIVATE_KEY, keyInOneLine).split('\n');
  const wanted = recorded.split('\n');
  if (
    wanted.length === lines.length &&
    wanted.every((line, index) => fits(lines[index], line))
  ) {
    return present;
  }
  const withKey = (line: string) => {
    const [fitting, ...others] = lines.filter(other => fits(other, line));
    const isOnly = fitting !== undefined && !others.length;
    return isOnly && wanted.filter(other => fits(fitting, other)).length === 1
      ? fitting
      : line;
  };
  return wanted
    .map(line => (MARK.test(line) ? withKey(line) : line))
    .join('\n')
    .replaceAll('\r', '\n');
}

/** Return whether a line is a recorded one, in which each mark stands for any text. */
function fits(line: string, recorded: string): boolean {
  const [start, ...parts] = recorded.split(MARK);
  const end = parts.pop();
  if (end === undefined) {
    return line === recorded;
  }
  let offset = start.length;
  for (const part of parts) {
    const index = line.indexOf(part, offset);
    if (index < 0) {
      return false;
    }
    offset = index + part.length;
  }
  return (
    line.startsWith(start) &&
    line.endsWith(end) &&
    offset + end.length <= line.length
  );
}

/**
 * Return whether a cell can be edited in place, because its type and its outputs stay. JupyterLab
 * would append the new text of an output to the old one.
 */
function canStay(old: ICell, cell: ICell): boolean {
  const kept = ({ cell_type, outputs }: ICell) =>
    JSON.stringify([cell_type, outputs]);
  return old === cell || kept(old) === kept(cell);
}

/** Return the cells to move, so that the others can stay; both lists have the same cells. */
function movedIds(
  now: readonly string[],
  wanted: readonly string[]
): Set<string> {
  return new Set(
    listChanges(now, wanted).flatMap(({ fromB, toB }) =>
      wanted.slice(fromB, toB)
    )
  );
}

function toDeletion({ id, digest }: IPresentCell): Operation {
  return { op: 'delete', cell: id, base: digest };
}
