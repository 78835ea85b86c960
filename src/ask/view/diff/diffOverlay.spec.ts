import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditorFactory } from '@jupyterlab/codemirror';
import { nullTranslator } from '@jupyterlab/translation';

import { DiffOverlay } from './diffOverlay';

/** A fake cell with the members that the overlay uses. */
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
  const onRevise = jest.fn();
  const onKey = jest.fn();
  const factory = new CodeMirrorEditorFactory();
  const overlay = new DiffOverlay({
    cell: cell as unknown as Cell,
    newEditor: factory.newInlineEditor,
    trans: nullTranslator.load('aiserver'),
    onRevise,
    onKey
  });
  const node = editorNode.firstElementChild as HTMLElement;
  const lines = (selector = '.cm-line') =>
    [...node.querySelectorAll(selector)].map(line => line.textContent);
  return { cell, classes, editorNode, lines, node, onKey, onRevise, overlay };
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

  it('rejects a change by its button, and reports the remaining code', () => {
    const t = setup();
    const original = 'a = 1\nsame = 0\nb = 2';
    t.overlay.show({
      original,
      code: 'a = 10\nsame = 0\nb = 20',
      isStreaming: false
    });
    const [first] = t.node.querySelectorAll<HTMLButtonElement>(
      '.jp-AIServer-Diff-undo'
    );
    expect(first.getAttribute('aria-label')).toBe('Reject this change');
    first.click();
    expect(t.onRevise).toHaveBeenCalledWith('a = 1\nsame = 0\nb = 20');
    t.overlay.dispose();
  });

  it('is read-only, forwards its keys, and is a region with a name (P38)', () => {
    const t = setup();
    t.overlay.show({ original: 'a', code: 'b', isStreaming: false });
    const content = t.node.querySelector('.cm-content') as HTMLElement;
    expect(content.getAttribute('contenteditable')).toBe('false');
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
