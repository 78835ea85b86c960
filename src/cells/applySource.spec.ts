import { YBaseCell, YCodeCell, YNotebook } from '@jupyter/ydoc';
import type { Cell } from '@jupyterlab/cells';

import { applySource, replaceSource } from './applySource';

function makeCell(source: string, documentWide = false): YCodeCell {
  const notebook = new YNotebook({
    disableDocumentWideUndoRedo: !documentWide
  });
  notebook.insertCell(0, { cell_type: 'code', source });
  const cell = notebook.getCell(0) as YCodeCell;
  cell.undoManager?.clear();
  return cell;
}

const apply = (cell: YCodeCell, source: string) =>
  replaceSource(cell as unknown as YBaseCell<never>, source);

/** A seeded random number generator, so that failures are reproducible. */
function random(seed: number): () => number {
  return () => {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
}

const FRAGMENTS = [
  'df',
  '\n',
  '    ',
  '读取',
  '😀',
  '😁',
  '\r\n',
  'x = 1',
  '"',
  '𠮷',
  '\t'
];

function text(next: () => number): string {
  const length = Math.floor(next() * 12);
  return Array.from(
    { length },
    () => FRAGMENTS[Math.floor(next() * FRAGMENTS.length)]
  ).join('');
}

// Ignore warnings of Yjs about JupyterLab's own construction of cells.
beforeAll(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

describe('applySource', () => {
  it.each([
    ['a selection ends, so that no key replaces written code', 3, 1],
    ['a cursor stays where it is', 0, 0]
  ])('%s (P48)', (_, column, moves) => {
    const start = { line: 0, column: 0 };
    const end = { line: 0, column };
    const setCursorPosition = jest.fn();
    const editor = { getSelection: () => ({ start, end }), setCursorPosition };
    const model = { sharedModel: makeCell('x = 1') };
    applySource({ model, editor } as unknown as Cell, 'x = 2');
    expect(model.sharedModel.getSource()).toBe('x = 2');
    expect(setCursorPosition).toHaveBeenCalledTimes(moves);
    if (moves) {
      expect(setCursorPosition).toHaveBeenCalledWith(end, { scroll: false });
    }
  });

  it.each([false, true])(
    'is one undo step between typing before and after (P35, document-wide: %s)',
    documentWide => {
      const cell = makeCell('import pandas\n', documentWide);
      cell.updateSource(14, 14, 'typed before');
      const before = cell.getSource();
      apply(cell, 'import pandas as pd\nprint("新")\n');
      const applied = cell.getSource();
      cell.updateSource(applied.length, applied.length, 'typed after');

      cell.undo();
      expect(cell.getSource()).toBe(applied);
      cell.undo();
      expect(cell.getSource()).toBe(before);
      cell.undo();
      expect(cell.getSource()).toBe('import pandas\n');
      cell.redo();
      cell.redo();
      expect(cell.getSource()).toBe(applied);
    }
  );

  it('writes any text, and one undo restores the previous text (P35)', () => {
    const next = random(42);
    for (let i = 0; i < 300; i++) {
      const [a, b] = [text(next), text(next)];
      const cell = makeCell(a);
      apply(cell, b);
      expect(cell.getSource()).toBe(b);
      cell.undo();
      expect(cell.getSource()).toBe(a);
      expect(cell.canUndo()).toBe(false);
    }
  });

  it('changes only the text that differs', () => {
    const cell = makeCell('a = 1\nb = 2\nc = 3\n');
    const deltas: unknown[] = [];
    cell.changed.connect((_, change) => deltas.push(change.sourceChange));
    apply(cell, 'a = 1\nb = 20\nc = 3\nd = 4\n');
    expect(deltas).toEqual([
      [{ retain: 11 }, { insert: '0' }, { retain: 7 }, { insert: 'd = 4\n' }]
    ]);
  });

  it('adds no undo step if nothing changes', () => {
    const cell = makeCell('same');
    apply(cell, 'same');
    expect(cell.canUndo()).toBe(false);
  });
});
