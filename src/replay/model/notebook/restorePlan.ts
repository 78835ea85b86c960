/** Plans how a notebook becomes again what it was after a moment. All functions are pure. */
import type { ICell, IOutput } from '@jupyterlab/nbformat';
import { JSONExt, type ReadonlyPartialJSONValue } from '@lumino/coreutils';

import type { CellSnapshot } from '../../../api/types';
import { toCellType } from '../../../cells/context';
import type { Operation } from '../../../cells/operations';
import { listChanges } from '../../../diff/lists';

const MARK = /‹redacted:[^›]*›/;
/** A private key, of which the end may be missing. One mark replaces its lines. */
const PRIVATE_KEY =
  /-----BEGIN [^\n]*PRIVATE KEY-----(?:[^]*?PRIVATE KEY-----|(?:\n[\w+/=]+)*)/g;

/** A cell of the notebook as it is now. */
export interface IPresentCell {
  readonly id: string;
  readonly type: string;
  /** The source, with `\n` as its line breaks. */
  readonly source: string;
  /** The SHA-256 of the source with its own line breaks. */
  readonly digest: string;
  /** The cell in the notebook format. */
  readonly content: ICell;
}

/** The numbers of cells that change, come back, are removed and move. */
export interface ICounts {
  readonly changed: number;
  readonly returned: number;
  readonly removed: number;
  readonly moved: number;
}

export interface IPlan {
  readonly operations: readonly Operation[];
  readonly counts: ICounts;
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
 * @param outputs The recorded outputs of code cells that change or come back, by cell id.
 */
export function planRestore(
  now: readonly IPresentCell[],
  snapshot: readonly CellSnapshot[],
  outputs: ReadonlyMap<string, IOutput[]>
): IPlan {
  const present = new Map(now.map(cell => [cell.id, cell]));
  const isLost = (cell: CellSnapshot) =>
    !isRecorded(cell) && !present.has(cell.cellId);
  const wanted = snapshot.filter(cell => !isLost(cell));
  const ids = new Set(wanted.map(({ cellId }) => cellId));
  const moved = movedIds(
    now.map(({ id }) => id).filter(id => ids.has(id)),
    [...ids].filter(id => present.has(id))
  );
  const removed = now.filter(({ id }) => !ids.has(id));
  const operations = removed.map(toDeletion);
  const counts = { changed: 0, returned: 0, moved: moved.size };
  const cells: ICell[] = [];
  let redacted = 0;
  let after: string | null = null;
  for (const cell of wanted) {
    const { cellId: id } = cell;
    const old = present.get(id);
    const content = contentOf(cell, old, outputs.get(id) ?? []);
    if (!old) {
      counts.returned++;
      operations.push(toInsertion(cell, content, after));
    } else if (isReplaced(old, content)) {
      operations.push(toDeletion(old), toInsertion(cell, content, after));
    } else {
      if (moved.has(id)) {
        operations.push({ op: 'move', cell: id, after });
      }
      if (!isUnchanged(cell, old)) {
        const source = content.source as string;
        operations.push({ op: 'edit', cell: id, base: old.digest, source });
      }
    }
    counts.changed += Number(!!old && !isUnchanged(cell, old));
    redacted += Number(content !== old?.content && hasMark(content));
    cells.push(content);
    after = id;
  }
  return {
    operations,
    cells,
    redacted,
    counts: { ...counts, removed: removed.length },
    missing: snapshot.filter(
      cell =>
        cell.missing !== undefined ||
        // A code cell without a source was blank.
        (isLost(cell) && toCellType(cell.type) === 'raw')
    ).length
  };
}

/** Return the code cells whose outputs the plan needs: those that change or come back. */
export function cellsWithNewOutputs(
  now: readonly IPresentCell[],
  snapshot: readonly CellSnapshot[]
): CellSnapshot[] {
  const present = new Map(now.map(cell => [cell.id, cell]));
  return snapshot.filter(cell => {
    const old = present.get(cell.cellId);
    return cell.type === 'code' && !(old && isUnchanged(cell, old));
  });
}

/**
 * Whether a cell's source is recorded: it wasn't too large, and the cell has a history. Before its
 * first step, the step is -1.
 */
function isRecorded({ missing, step, source }: CellSnapshot): boolean {
  return missing === undefined && (step !== null || source !== '');
}

function hasMark({ source }: ICell): boolean {
  return MARK.test(source as string);
}

function isUnchanged(cell: CellSnapshot, old: IPresentCell): boolean {
  const isSameType = toCellType(cell.type) === toCellType(old.type);
  return isSameType && newSource(cell, old) === old.source;
}

function newSource(cell: CellSnapshot, old: IPresentCell | undefined): string {
  if (!isRecorded(cell)) {
    return old!.source; // Such a cell is only wanted if it is in the notebook.
  }
  return old ? withKeys(cell.source, old.source) : cell.source;
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
 * Return whether a cell can't be edited in place, because its type or its outputs change. JupyterLab
 * would append the new text of an output to the old one.
 */
function isReplaced(old: IPresentCell, content: ICell): boolean {
  const outputsOf = ({ outputs = [] }: ICell) =>
    outputs as ReadonlyPartialJSONValue;
  return (
    content.cell_type !== toCellType(old.type) ||
    !JSONExt.deepEqual(outputsOf(content), outputsOf(old.content))
  );
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

/** Return a cell as it will be; it keeps its metadata and, with the same source, its outputs. */
function contentOf(
  cell: CellSnapshot,
  old: IPresentCell | undefined,
  outputs: IOutput[]
): ICell {
  if (old && isUnchanged(cell, old)) {
    return old.content;
  }
  const type = toCellType(cell.type);
  const source = newSource(cell, old);
  const common = { id: cell.cellId, cell_type: type, source };
  if (type === 'code') {
    // JupyterLab trusts new cells. The recorded outputs are only texts and images.
    const metadata = old?.content.metadata ?? { trusted: true };
    return { ...common, metadata, execution_count: null, outputs };
  }
  const { metadata = {}, attachments } = old?.content ?? ({} as ICell);
  const more = attachments ? { attachments } : {};
  return { ...common, metadata, ...more } as ICell;
}

function toDeletion({ id, digest }: IPresentCell): Operation {
  return { op: 'delete', cell: id, base: digest };
}

function toInsertion(
  { cellId, type }: CellSnapshot,
  content: ICell,
  after: string | null
): Operation {
  const source = content.source as string;
  const place = { op: 'insert' as const, cell: cellId, after };
  return { ...place, type: toCellType(type), source, content };
}
