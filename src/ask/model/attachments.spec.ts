import { mentions, namedFrames, relevantVariables } from './attachments';

const frame = (name: string) => ({
  name,
  kind: '',
  rowCount: 1,
  columnCount: 0
});
const names = (frames: { name: string }[]) => frames.map(({ name }) => name);

describe('mentions', () => {
  it.each([
    ['plot df by month', 'df', true],
    ['把df按月画图', 'df', true],
    ['df["a"]', 'df', true],
    ['df2 and my_df', 'df', false],
    ['df2 and df', 'df', true],
    ['按销售额排序', '销售', true],
    ['', 'df', false]
  ])('%j mentions %s: %s', (text, name, expected) => {
    expect(mentions(text, name)).toBe(expected);
  });
});

describe('namedFrames', () => {
  const frames = [frame('sales'), frame('costs')];

  it('chooses a DataFrame that any of the texts mentions', () => {
    expect(names(namedFrames(frames, ['plot sales', '']))).toEqual(['sales']);
    expect(names(namedFrames(frames, ['', 'costs + 1']))).toEqual(['costs']);
  });

  it('chooses an only DataFrame that isn’t mentioned, but none of several', () => {
    expect(names(namedFrames([frame('sales')], ['画图']))).toEqual(['sales']);
    expect(namedFrames(frames, ['plot it'])).toEqual([]);
  });

  it('chooses a few at most', () => {
    const many = Array.from({ length: 9 }, (_, n) => frame(`f${n}`));
    const text = names(many).join(' ');
    expect(namedFrames(many, [text])).toHaveLength(5);
  });
});

describe('relevantVariables', () => {
  const variable = (name: string, kind = 'int') => ({ name, kind });

  it('lists mentioned variables first, then the newest, without modules', () => {
    const all = [variable('new'), variable('pd', 'module'), variable('old')];
    const listed = relevantVariables(all, ['add old', '']);
    expect(names(listed)).toEqual(['old', 'new']);
  });

  it('lists a few at most', () => {
    const many = Array.from({ length: 99 }, (_, n) => variable(`v${n}`));
    expect(relevantVariables(many, [])).toHaveLength(30);
  });
});
