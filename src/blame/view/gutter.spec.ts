import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

import type { BlameLine } from '../../api/types';
import { blameGutter, IBlameWords, setBlame, setProblem } from './gutter';

const BY_MODEL: BlameLine = {
  author: 'model',
  step: 0,
  seq: 1,
  turnId: 1,
  intent: '<img src=x onerror=alert(1)>'
};
const BY_HAND: BlameLine = { author: 'person', step: 1, seq: 2 };

const WORDS: IBlameWords = {
  title: 'Authorship',
  show: 'Show step',
  loading: 'Looking',
  sign: line => {
    const node = document.createElement('b');
    node.textContent = line.author;
    return node;
  },
  describe: line => `${line.author} ${line.intent ?? ''}`.trim(),
  summary: (_, lines) => `${lines.length} lines`
};

describe('the blame gutter', () => {
  let view: EditorView;
  let shown: BlameLine[];

  beforeEach(() => {
    shown = [];
    view = new EditorView({
      parent: document.body,
      state: EditorState.create({
        doc: 'a\nb\nc',
        extensions: blameGutter(WORDS, line => shown.push(line))
      })
    });
  });

  afterEach(() => view.destroy());

  const said = () => view.dom.querySelector('[role="status"]')!;
  const button = () =>
    view.dom.querySelector<HTMLButtonElement>(
      '.jp-AIServer-Blame-words button'
    )!;
  const rows = () => [
    ...view.dom.querySelectorAll<HTMLElement>('.jp-AIServer-Blame-line')
  ];
  const authors = () =>
    rows().map(node =>
      node.classList.contains('jp-mod-unnoted')
        ? 'unnoted'
        : node.classList.contains('jp-mod-model')
          ? 'model'
          : 'person'
    );
  const answer = () =>
    view.dispatch({
      effects: setBlame.of({
        source: 'a\nb\nc',
        lines: [BY_MODEL, BY_MODEL, BY_HAND]
      })
    });

  it('says so until it knows, then how much is whose', () => {
    expect(said().textContent).toBe('Looking');
    expect(rows()).toHaveLength(0);
    answer();
    expect(said().textContent).toBe('3 lines');
    expect(authors()).toEqual(['model', 'model', 'person']);
    // A sign where another's lines begin, and not at each line.
    expect(rows().map(node => node.textContent)).toEqual([
      'model',
      '',
      'person'
    ]);
    expect(button().hidden).toBe(true);
  });

  it('follows what is typed, and what is taken back', () => {
    answer();
    view.dispatch({ changes: { from: 2, insert: 'new\n' } });
    expect(authors()).toEqual(['model', 'unnoted', 'model', 'person']);
    view.dispatch({ changes: { from: 2, to: 6 } });
    expect(authors()).toEqual(['model', 'model', 'person']);
  });

  it('tells of the line with the cursor, once for all lines of a step (P38)', () => {
    answer();
    view.focus();
    view.dispatch({ selection: { anchor: 0 } });
    expect(said().textContent).toBe(`model ${BY_MODEL.intent}`);
    let told = 0;
    const observer = new MutationObserver(list => (told += list.length));
    observer.observe(said(), { childList: true, characterData: true });
    view.dispatch({ selection: { anchor: 2 } });
    told += observer.takeRecords().length;
    expect(told).toBe(0);
    view.dispatch({ selection: { anchor: 4 } });
    expect(said().textContent).toBe('person');
  });

  it('shows a request as text (P12), and its step when asked', () => {
    answer();
    view.focus();
    view.dispatch({ selection: { anchor: 0 } });
    expect(view.dom.querySelector('img')).toBeNull();
    expect(button().hidden).toBe(false);
    button().click();
    expect(shown).toEqual([BY_MODEL]);
    // Of a line that nobody noted there is no step.
    view.dispatch({ changes: { from: 0, insert: 'mine\n' } });
    view.dispatch({ selection: { anchor: 0 } });
    expect(button().hidden).toBe(true);
  });

  it('says what failed, and again what it knows', () => {
    view.dispatch({ effects: setProblem.of('No answer.') });
    expect(said().textContent).toBe('No answer.');
    view.dispatch({ effects: setProblem.of('') });
    answer();
    expect(said().textContent).toBe('3 lines');
  });
});
