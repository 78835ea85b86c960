import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { nullTranslator } from '@jupyterlab/translation';

import type { BlameLine } from '../../../api/types';
import { blameGutter, setBlame, setProblem } from './gutter';

const BY_MODEL: BlameLine = {
  author: 'model',
  step: 0,
  seq: 1,
  turnId: 1,
  intent: '<img src=x onerror=alert(1)>'
};
const BY_HAND: BlameLine = { author: 'person', step: 1, seq: 2 };

const LOCALE = { trans: nullTranslator.load('aiserver'), locale: 'en' };

describe('the blame gutter', () => {
  let view: EditorView;
  let shown: BlameLine[];

  beforeEach(() => {
    shown = [];
    view = new EditorView({
      parent: document.body,
      state: EditorState.create({
        doc: 'a\nb\nc',
        extensions: blameGutter(LOCALE, line => shown.push(line))
      })
    });
  });

  afterEach(() => view.destroy());

  const status = () => view.dom.querySelector('[role="status"]')!;
  const button = () =>
    view.dom.querySelector<HTMLButtonElement>(
      '.jp-AIServer-Blame-status button'
    )!;
  const rows = () => [
    ...view.dom.querySelectorAll<HTMLElement>('.jp-AIServer-Blame-line')
  ];
  const authors = () =>
    rows().map(node =>
      node.classList.contains('jp-mod-unrecorded')
        ? 'unrecorded'
        : node.classList.contains('jp-mod-model')
          ? 'model'
          : 'person'
    );
  const setResult = () =>
    view.dispatch({
      effects: setBlame.of({
        source: 'a\nb\nc',
        lines: [BY_MODEL, BY_MODEL, BY_HAND]
      })
    });

  it('shows that it is loading, and then the summary', () => {
    expect(status().textContent).toBe('Loading authorship…');
    expect(rows()).toHaveLength(0);
    setResult();
    expect(status().textContent).toBe('Lines: 2 by AI, 1 by hand');
    expect(authors()).toEqual(['model', 'model', 'person']);
    // Only the first line of each contribution has an icon.
    expect(rows().map(node => !!node.querySelector('svg'))).toEqual([
      true,
      false,
      true
    ]);
    expect(button().hidden).toBe(true);
  });

  it('follows edits and undo', () => {
    setResult();
    view.dispatch({ changes: { from: 2, insert: 'new\n' } });
    expect(authors()).toEqual(['model', 'unrecorded', 'model', 'person']);
    view.dispatch({ changes: { from: 2, to: 6 } });
    expect(authors()).toEqual(['model', 'model', 'person']);
  });

  it('describes the line with the cursor, once for all lines of a step (P38)', () => {
    setResult();
    view.focus();
    view.dispatch({ selection: { anchor: 0 } });
    expect(status().textContent).toBe(`AI, request 1 · “${BY_MODEL.intent}”`);
    let mutations = 0;
    const observer = new MutationObserver(list => (mutations += list.length));
    observer.observe(status(), { childList: true, characterData: true });
    view.dispatch({ selection: { anchor: 2 } });
    mutations += observer.takeRecords().length;
    expect(mutations).toBe(0);
    view.dispatch({ selection: { anchor: 4 } });
    expect(status().textContent).toBe('By hand');
  });

  it('shows a request as text (P12), and its step on click', () => {
    setResult();
    view.focus();
    view.dispatch({ selection: { anchor: 0 } });
    expect(view.dom.querySelector('img')).toBeNull();
    expect(button().hidden).toBe(false);
    button().click();
    expect(shown).toEqual([BY_MODEL]);
    // An unrecorded line has no step.
    view.dispatch({ changes: { from: 0, insert: 'mine\n' } });
    view.dispatch({ selection: { anchor: 0 } });
    expect(button().hidden).toBe(true);
  });

  it('shows a failure, and then the result again', () => {
    view.dispatch({ effects: setProblem.of('No answer.') });
    expect(status().textContent).toBe('No answer.');
    view.dispatch({ effects: setProblem.of('') });
    setResult();
    expect(status().textContent).toBe('Lines: 2 by AI, 1 by hand');
  });
});
