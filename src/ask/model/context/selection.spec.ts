import { setup, start } from '../generation.fakes';
import { lineRange, selectLines } from './selection';

const SOURCE = 'a = 1\nb = 2\nc = 3\nd = 4';

const lines = (from: number, to: number, source = SOURCE) => {
  const selection = selectLines(source, from, to);
  const range = selection && lineRange(selection, source);
  return range && [range.first, range.last];
};

describe('selectLines', () => {
  it('selects whole lines', () => {
    expect(lines(6, 11)).toEqual([2, 2]);
    expect(lines(7, 8)).toEqual([2, 2]);
    expect(lines(7, 13)).toEqual([2, 3]);
    expect(lines(0, 3)).toEqual([1, 1]);
    expect(lines(20, 23)).toEqual([4, 4]);
  });

  it('leaves out a line of which only the beginning is reached', () => {
    expect(lines(6, 12)).toEqual([2, 2]);
    expect(lines(0, 6)).toEqual([1, 1]);
  });

  it('selects nothing if no text or all lines are selected', () => {
    expect(lines(3, 3)).toBeNull();
    expect(lines(0, SOURCE.length)).toBeNull();
    expect(lines(2, SOURCE.length - 2)).toBeNull();
    expect(lines(0, 1, 'x')).toBeNull();
  });

  it('selects a blank line', () => {
    expect(lines(2, 3, 'a\n\nb')).toEqual([2, 2]);
    expect(lines(1, 3, 'a\n\nb')).toEqual([1, 2]);
  });
});

describe('lineRange', () => {
  const selection = selectLines(SOURCE, 6, 17)!;

  it('follows changes of the selected lines', () => {
    expect(lineRange(selection, 'a = 1\nx\ny\nz\nd = 4')).toEqual({
      first: 2,
      last: 4
    });
    expect(lineRange(selection, 'a = 1\n\nd = 4')).toEqual({
      first: 2,
      last: 2
    });
  });

  it('ends when other lines change', () => {
    for (const source of ['', 'a = 1\nd = 4', SOURCE + '!', '#\n' + SOURCE]) {
      expect(lineRange(selection, source)).toBeNull();
    }
  });
});

describe('a request about selected lines', () => {
  const selection = { above: 'a\n', below: '\nc' };
  const LINE = {
    column: 0,
    endColumn: 2,
    kind: 'undefined_name',
    name: 'bb',
    message: '',
    candidates: ['b'],
    correction: 'b'
  };

  it('names them, also if it asks for a change of the suggestion', async () => {
    const t = setup({ source: 'a\nb\nc' });
    t.model.open(selection);
    await t.answer('longer', 'a\nb\nb\nc');
    void t.model.ask('even longer');
    (await t.requested(2)).push(start(2));
    await t.phase('waiting');
    expect(t.model.selectedLines).toEqual({ first: 2, last: 3 });
    expect(t.bodies.map(({ context }) => context?.selection)).toEqual([
      { first: 2, last: 2 },
      { first: 2, last: 3 }
    ]);
  });

  it('is about the whole cell after another line was changed, or on request', async () => {
    const t = setup({ source: 'a\nb\nc' });
    t.model.open(selection);
    t.edit('a\nb\nd');
    expect(t.model.selectedLines).toBeNull();
    t.edit('a\nx\ny\nc');
    expect(t.model.selectedLines).toEqual({ first: 2, last: 3 });
    t.model.setState({ selection: null });
    expect(t.model.buildRequest('x').selection).toBeNull();
  });

  it('corrects no other line automatically', async () => {
    const t = setup({ source: 'a\nb\nbb' });
    t.target.check.mockImplementation(async code =>
      code
        .split('\n')
        .map((text, index) => ({ text, line: index + 1 }))
        .filter(({ text }) => text === 'bb')
        .map(({ line }) => ({ ...LINE, line, endLine: line }))
    );
    t.model.open({ above: 'a\n', below: '\nbb' });
    await t.answer('again', 'a\nbb\nbb');
    expect(t.model.state.code).toBe('a\nb\nbb');
    expect(t.model.state.problems).toHaveLength(1);
    expect(t.bodies).toHaveLength(1);
  });

  it('ends when the suggestion is accepted', async () => {
    const t = setup({ source: 'a\nb\nc' });
    t.model.open(selection);
    await t.answer('longer', 'a\nx\nc');
    await t.model.decision.accept();
    t.model.open();
    expect(t.model.selectedLines).toBeNull();
  });

  it('is about the whole cell after the chip was removed, also if it is asked again', async () => {
    const t = setup({ source: 'a\nb\nc' });
    t.model.open(selection);
    await t.answer('longer', 'a\nx\nc');
    t.model.setState({ selection: null });
    void t.model.retry();
    (await t.requested(2)).push(start(2));
    expect(t.bodies[1].context?.selection).toBeUndefined();
  });

  it('counts lines alike whatever the line breaks are', () => {
    const selected = { above: 'a\n', below: '\nc' };
    expect(selectLines('a\r\nb\r\nc', 3, 4)).toEqual(selected);
    expect(selectLines('a\rb\nc', 2, 3)).toEqual(selected);
  });
});
