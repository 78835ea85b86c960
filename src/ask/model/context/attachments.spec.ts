import { mentions, namedFrames, relevantVariables } from './attachments';
import cases from './attachmentCases.json';

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
    const kernel = { frames: [], variables: [] };
    expect(mentions(text, name, kernel)).toBe(expected);
  });
});

describe('namedFrames', () => {
  const kernel = { frames: [frame('sales'), frame('costs')], variables: [] };
  const variable = (name: string, kind: string) => ({ name, kind });
  const single = {
    frames: [frame('sales')],
    variables: [
      variable('weights', 'numpy.ndarray (3,) float64'),
      variable('标签', 'list of 3 str'),
      variable('a', 'list of 3 int'),
      variable('clean', 'function'),
      variable('count', 'int')
    ]
  };

  it('chooses a DataFrame that any of the texts mentions', () => {
    expect(names(namedFrames(kernel, ['plot sales', '']))).toEqual(['sales']);
    expect(names(namedFrames(kernel, ['', 'costs + 1']))).toEqual(['costs']);
  });

  it('chooses an only DataFrame that isn’t mentioned, but none of several', () => {
    expect(names(namedFrames(single, ['画图']))).toEqual(['sales']);
    expect(namedFrames(kernel, ['plot it'])).toEqual([]);
  });

  it.each([
    ['clean the data and count the rows of a column', true],
    ['csv', true],
    ['plot weights', false],
    ['按标签画图', false],
    ['读取数据/订单.csv', false],
    ["show 'my orders.xlsx'", false],
    ['plot weights of sales', true]
  ])('with %j, chooses the only DataFrame: %s', (intent, isChosen) => {
    expect(namedFrames(single, [intent, '', ''])).toHaveLength(+isChosen);
  });

  it('chooses a few at most', () => {
    const many = Array.from({ length: 9 }, (_, n) => frame(`f${n}`));
    const text = names(many).join(' ');
    const all = { frames: many, variables: [] };
    expect(namedFrames(all, [text])).toHaveLength(5);
  });
});

describe('relevantVariables', () => {
  const variable = (name: string, kind = 'int') => ({ name, kind });

  it('lists mentioned variables first, then the newest, without modules', () => {
    const all = [variable('new'), variable('pd', 'module'), variable('old')];
    const kernel = { frames: [], variables: all };
    const listed = relevantVariables(kernel, ['add old', '']);
    expect(names(listed)).toEqual(['old', 'new']);
  });

  it('lists a few at most', () => {
    const many = Array.from({ length: 99 }, (_, n) => variable(`v${n}`));
    const kernel = { frames: [], variables: many };
    expect(relevantVariables(kernel, [])).toHaveLength(30);
  });
});

describe('the cases that the benchmark suite has in common', () => {
  it.each(cases)(
    '$title',
    ({ frames, texts, attached, described, ...rest }) => {
      const variables = (rest.variables as string[][]).map(([name, kind]) => ({
        name,
        kind
      }));
      const language = rest.language ? ('r' as const) : undefined;
      const kernel = { frames: frames.map(frame), variables, language };
      expect(names(namedFrames(kernel, texts))).toEqual(attached);
      if (described) {
        expect(names(relevantVariables(kernel, texts))).toEqual(described);
      }
    }
  );
});
