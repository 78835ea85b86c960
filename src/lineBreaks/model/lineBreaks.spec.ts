import {
  cursorCharLeft,
  cursorCharRight,
  deleteCharBackward,
  deleteCharForward
} from '@codemirror/commands';
import { YBaseCell, YCodeCell, YNotebook } from '@jupyter/ydoc';
import { CodeEditor } from '@jupyterlab/codeeditor';
import { CodeMirrorEditor, ybinding } from '@jupyterlab/codemirror';

import { replaceSource } from '../../cells/applySource';
import { sourceOf } from '../../cells/source';
import { lineBreaks } from './lineBreaks';

const editors: CodeMirrorEditor[] = [];
afterEach(() => editors.splice(0).forEach(editor => editor.dispose()));
// Ignore warnings of Yjs about JupyterLab's own construction of cells.
beforeAll(() => {
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});

function makeCell(source: string): YCodeCell {
  const notebook = new YNotebook({ disableDocumentWideUndoRedo: true });
  notebook.insertCell(0, { cell_type: 'code', source });
  const cell = notebook.getCell(0) as YCodeCell;
  cell.undoManager!.clear();
  return cell;
}

/** Create a cell's editor as JupyterLab does. */
function edit(cell: YCodeCell): CodeMirrorEditor {
  const editor = new CodeMirrorEditor({
    host: document.createElement('div'),
    model: new CodeEditor.Model({ sharedModel: cell }),
    extensions: [
      ybinding({ ytext: cell.ysource, undoManager: cell.undoManager! }),
      lineBreaks
    ]
  });
  editors.push(editor);
  return editor;
}

function type(
  { editor }: CodeMirrorEditor,
  insert: string,
  from: number,
  to = from
): void {
  editor.dispatch({ changes: { from, to, insert }, userEvent: 'input.type' });
}

const textOf = ({ editor }: CodeMirrorEditor) => editor.state.doc.toString();
/** Return the lines that a person sees. */
const linesOf = ({ editor }: CodeMirrorEditor) =>
  [...editor.contentDOM.querySelectorAll<HTMLElement>('.cm-line')].flatMap(
    line => line.innerHTML.split('<br>').map(html => html.replace(/<.*?>/g, ''))
  );

describe('lineBreaks', () => {
  it.each([
    ['a = 1\r\nb = 2\r\nprint(a)', ['a = 1', 'b = 2', 'print(a)']],
    ['a = 1\rb = 2', ['a = 1', 'b = 2']],
    ['a\r\nb\nc\rd', ['a', 'b', 'c', 'd']]
  ])('shows the lines of %j and keeps the source', (source, lines) => {
    const cell = makeCell(source);
    const editor = edit(cell);
    expect(linesOf(editor)).toEqual(lines);
    expect(cell.getSource()).toBe(source);
    expect(cell.canUndo()).toBe(false);
  });

  it('converts the line breaks with the first edit, and one undo reverts both (P35)', () => {
    const cell = makeCell('a = 1\r\nb = 2\rc = 3');
    const [editor, second] = [edit(cell), edit(cell)];
    type(editor, '0', 12); // After `b = 2`.
    expect(cell.getSource()).toBe('a = 1\nb = 20\nc = 3');
    cell.undo();
    expect(cell.getSource()).toBe('a = 1\r\nb = 2\rc = 3');
    cell.redo();
    for (const { editor: view } of [editor, second]) {
      expect(view.state.doc.toString()).toBe('a = 1\nb = 20\nc = 3');
    }
  });

  it('keeps the cursor out of a line break', () => {
    const { editor } = edit(makeCell('a = 1\r\nb = 2'));
    const head = () => editor.state.selection.main.head;
    editor.dispatch({ selection: { anchor: 6 } });
    expect(head()).toBe(5); // The key End.
    cursorCharRight(editor);
    expect(head()).toBe(7);
    cursorCharLeft(editor);
    expect(head()).toBe(5);
    editor.dispatch({ selection: { anchor: 0, head: 6 } });
    expect(editor.state.selection.main).toMatchObject({ anchor: 0, head: 5 });
  });

  it('disturbs no input method, and converts with the next edit', () => {
    const cell = makeCell('a\r\nb\rc');
    const editor = edit(cell);
    const compose = (insert: string, from: number, to: number) =>
      editor.editor.dispatch({
        changes: { from, to, insert },
        userEvent: 'input.type.compose'
      });
    compose('n', 1, 1);
    compose('你', 1, 2);
    expect(cell.getSource()).toBe('a你\r\nb\rc');
    expect(linesOf(editor)).toEqual(['a你', 'b', 'c']);
    type(editor, 'x', 2);
    expect(cell.getSource()).toBe('a你x\nb\nc');
  });

  it.each([
    ['Backspace', 7, deleteCharBackward],
    ['Delete', 5, deleteCharForward]
  ])('removes the whole line break with %s', (_, anchor, command) => {
    const cell = makeCell('a = 1\r\nb = 2\r\nc');
    const { editor } = edit(cell);
    editor.dispatch({ selection: { anchor } });
    command(editor);
    expect(cell.getSource()).toBe('a = 1b = 2\nc');
  });

  it('replaces all text, without traces of its line breaks', () => {
    const cell = makeCell('a\rb\r\nc');
    type(edit(cell), 'new', 0, 6);
    expect(cell.getSource()).toBe('new');
  });

  it('converts the line breaks of pasted text', () => {
    const cell = makeCell('x');
    const editor = edit(cell);
    const clipboardData = { getData: () => 'a\r\nb\rc\n', files: [] };
    const init = { bubbles: true, cancelable: true };
    const event = Object.assign(new Event('paste', init), { clipboardData });
    editor.editor.contentDOM.dispatchEvent(event);
    expect(cell.getSource()).toBe('a\nb\nc\nx');
    expect(textOf(editor)).toBe(cell.getSource());
  });

  it('keeps two editors and the source equal through any changes', () => {
    let seed = 7;
    const random = (limit: number) => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return seed % limit;
    };
    const text = () =>
      Array.from(
        { length: random(6) },
        () => ['a', '\n', '\r\n', '\r', '读', 'b'][random(6)]
      ).join('');
    for (let round = 0; round < 15; round++) {
      const cell = makeCell(text());
      const pair = [edit(cell), edit(cell)];
      for (let step = 0; step < 12; step++) {
        const { length } = textOf(pair[0]);
        const from = random(length + 1);
        const to = from + random(length - from + 1);
        [
          () => type(pair[random(2)], text(), from, to),
          () => cell.undo(),
          () => cell.redo(),
          () => cell.updateSource(from, to, text()),
          () => replaceSource(cell as unknown as YBaseCell<never>, text())
        ][random(5)]();
        expect(pair.map(textOf)).toEqual([cell.getSource(), cell.getSource()]);
      }
      editors.splice(0).forEach(editor => editor.dispose());
    }
  });

  it('accepts code into a cell from Windows, and one undo restores it (P35)', () => {
    const cell = makeCell('a = 1\r\nb = 2\r\nprint(a)');
    const editor = edit(cell);
    expect(sourceOf(cell)).toBe('a = 1\nb = 2\nprint(a)');
    const apply = (source: string) =>
      replaceSource(cell as unknown as YBaseCell<never>, source);
    apply('a = 1\nb = 2\nprint(a)');
    expect(cell.canUndo()).toBe(false); // Only the line breaks differ.
    apply('answer = 1\nb = 2');
    expect(cell.getSource()).toBe('answer = 1\nb = 2');
    expect(textOf(editor)).toBe('answer = 1\nb = 2');
    cell.undo();
    expect(cell.getSource()).toBe('a = 1\r\nb = 2\r\nprint(a)');
    expect(textOf(editor)).toBe(cell.getSource());
    expect(cell.canUndo()).toBe(false);
  });
});
