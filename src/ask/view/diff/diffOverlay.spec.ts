import { EditorView } from '@codemirror/view';
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditorFactory } from '@jupyterlab/codemirror';
import { nullTranslator } from '@jupyterlab/translation';

import { DiffOverlay } from './diffOverlay';

function setup() {
  const classes = new Set<string>();
  const editorNode = document.createElement('div');
  document.body.append(editorNode);
  const cell = {
    model: { mimeType: 'text/x-python' },
    editorConfig: {},
    editorWidget: { node: editorNode },
    editor: null,
    isDisposed: false,
    addClass: (name: string) => classes.add(name),
    removeClass: (name: string) => classes.delete(name)
  };
  const onChange = jest.fn();
  const onEdit = jest.fn();
  const onKey = jest.fn();
  const factory = new CodeMirrorEditorFactory();
  const overlay = new DiffOverlay({
    cell: cell as unknown as Cell,
    newEditor: factory.newInlineEditor,
    trans: nullTranslator.load('aiserver'),
    onChange,
    onEdit,
    onKey
  });
  const node = editorNode.firstElementChild as HTMLElement;
  const lines = (selector = '.cm-line') =>
    [...node.querySelectorAll(selector)].map(line => line.textContent);
  return {
    cell,
    classes,
    editorNode,
    lines,
    node,
    onChange,
    onEdit,
    onKey,
    overlay
  };
}

describe('DiffOverlay', () => {
  it('shows the changes, and marks words only in similar lines', () => {
    const t = setup();
    const original = 'total = 1\nname = "a"';
    t.overlay.show({
      original,
      code: 'total = 2\nname = "a"',
      isStreaming: false
    });
    expect(t.lines('.cm-changedLine')).toEqual(['total = 2']);
    expect(t.lines('.cm-deletedLine')).toEqual(['total = 1']);
    expect(t.node.querySelector('.cm-changedText')).not.toBeNull();
    t.overlay.show({ original, code: 'print("else")', isStreaming: false });
    expect(t.node.querySelector('.cm-changedText')).toBeNull();
    t.overlay.dispose();
  });

  it('shows a new cell without a diff', () => {
    const t = setup();
    t.overlay.show({ original: ' \n', code: 'x = 1', isStreaming: false });
    expect(t.node.classList).toContain('jp-mod-new');
    expect(t.node.querySelector('.cm-deletedChunk')).toBeNull();
    t.overlay.dispose();
  });

  it('shows the lines that an answer has not reached dimmed while it streams', () => {
    const t = setup();
    const original = 'a = 1\nb = 2\nc = 3';
    t.overlay.show({ original, code: 'a = 10\nb', isStreaming: true });
    expect(t.node.classList).toContain('jp-mod-streaming');
    expect(t.lines('.jp-AIServer-Diff-pending')[0]).toBe('c = 3');
    t.overlay.show({ original, code: 'a = 10\nb = 2', isStreaming: false });
    expect(t.node.classList).not.toContain('jp-mod-streaming');
    expect(t.lines('.jp-AIServer-Diff-pending')).toEqual([]);
    t.overlay.dispose();
  });

  it('has buttons that accept or reject each change', () => {
    const t = setup();
    t.overlay.show({
      original: 'a = 1\nsame = 0\nb = 2',
      code: 'a = 10\nsame = 0\nb = 20',
      isStreaming: false
    });
    const buttons = [
      ...t.node.querySelectorAll<HTMLButtonElement>('.jp-AIServer-Diff-decide')
    ];
    const labels = buttons.map(button => button.getAttribute('aria-label'));
    expect(labels).toEqual([
      'Accept this change',
      'Regenerate this change',
      'Reject this change',
      'Accept this change',
      'Regenerate this change',
      'Reject this change'
    ]);
    [2, 3, 4].forEach(index => buttons[index].click());
    expect(t.onChange.mock.calls).toEqual([
      [0, 'reject'],
      [16, 'accept'],
      [16, 'regenerate']
    ]);
    t.overlay.dispose();
  });

  it('marks the selected change', () => {
    const t = setup();
    const content = { original: 'a\nb\nc', code: 'a\nX\nY\nc' };
    t.overlay.show({
      ...content,
      isStreaming: false,
      selected: { from: 2, to: 5 }
    });
    expect(t.lines('.jp-AIServer-Diff-selected')).toEqual(['X', 'Y']);
    t.overlay.show({ ...content, isStreaming: false });
    expect(t.lines('.jp-AIServer-Diff-selected')).toEqual([]);
    t.overlay.dispose();
  });

  it('can be edited once it is complete', () => {
    const t = setup();
    const content = { original: 'a', code: 'b' };
    const editable = () =>
      t.node.querySelector('.cm-content')!.getAttribute('contenteditable');
    t.overlay.show({ ...content, isStreaming: true });
    expect(editable()).toBe('false');
    t.overlay.show({ ...content, isStreaming: false, isEditable: true });
    expect(editable()).toBe('true');
    expect(t.onEdit).not.toHaveBeenCalled();
    const view = EditorView.findFromDOM(t.node)!;
    view.dispatch({ changes: { from: 1, insert: '!' }, userEvent: 'input' });
    expect(t.onEdit).toHaveBeenLastCalledWith('b!');
    // Also if the hidden line break at the end is deleted, or text follows it.
    view.dispatch({ changes: { from: 2, to: 3 }, userEvent: 'delete' });
    expect(t.onEdit).toHaveBeenLastCalledWith('b!');
    t.overlay.dispose();
  });

  it('forwards its keys, and is a region with a name (P38)', () => {
    const t = setup();
    t.overlay.show({ original: 'a', code: 'b', isStreaming: false });
    const content = t.node.querySelector('.cm-content') as HTMLElement;
    expect(t.node.getAttribute('role')).toBe('region');
    expect(t.node.getAttribute('aria-label')).toBe('Suggested code');
    expect(t.node.dataset.lmSuppressShortcuts).toBe('true');
    content.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })
    );
    expect(t.onKey).toHaveBeenCalledTimes(1);
    t.overlay.dispose();
  });

  it('renders code as text (P12), and leaves the cell unchanged', () => {
    const t = setup();
    const evil = '# <img src=x onerror="window.pwned=1">';
    t.overlay.show({ original: 'a', code: evil, isStreaming: false });
    expect(t.node.querySelector('img[src]')).toBeNull();
    expect(t.lines()).toContain(evil);
    expect([...t.classes]).toEqual(['jp-AIServer-mod-diff']);
    t.overlay.dispose();
    t.overlay.dispose();
    t.overlay.show({ original: 'a', code: 'b', isStreaming: false });
    expect(t.classes.size).toBe(0);
    expect(t.editorNode.childElementCount).toBe(0);
  });
});
