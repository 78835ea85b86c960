import { nullTranslator } from '@jupyterlab/translation';

import { setup } from '../../model/generation.fakes';
import { completeMention } from './completions';
import { frameOf } from '../../../kernel/request.fakes';

const trans = nullTranslator.load('aiserver');

function complete(text: string, error: string | null = null) {
  const { model, target } = setup();
  target.error.mockReturnValue(error);
  target.cellTitles = () => [
    { number: 1, title: 'import pandas' },
    { number: 3, title: 'plot(df)' }
  ];
  model.setState({
    kernel: {
      frames: [
        frameOf('df', 2, { price: 'int64', '总 额': 'float64', 城市: 'object' })
      ],
      variables: [
        { name: 'dates', kind: 'list of 3 str' },
        { name: 'np', kind: 'module' }
      ]
    }
  });
  const files: Record<string, string[]> = {
    '': ['data/', 'my notes.md', 'a(1).py', 'photo.png', '说明.txt'],
    'data/': ['a.csv']
  };
  const listFiles = (folder: string) => files[folder] ?? [];
  return completeMention(model, text, listFiles, trans);
}

const texts = (text: string, error: string | null = null) =>
  complete(text, error).map(({ text }) => text);

describe('completeMention', () => {
  it('lists everything after an at sign, and then what matches', () => {
    expect(texts('plot @', 'Traceback\nKeyError: 1')).toEqual([
      '@error',
      '@df',
      '@dates',
      '@cell3',
      '@cell1',
      '@data/',
      '@"my notes.md"',
      '@"a(1).py"',
      '@说明.txt'
    ]);
    expect(complete('plot @', 'Traceback\nKeyError: 1')[0]).toEqual({
      start: 5,
      text: '@error',
      description: 'KeyError: 1'
    });
    expect(texts('画@d')).toEqual(['@df', '@dates', '@data/']);
    expect(texts('@D')).toEqual(['@df', '@dates', '@data/']);
    expect(texts('@my')).toEqual(['@"my notes.md"']);
    expect(texts('@data/')).toEqual(['@data/a.csv']);
  });

  it('finds a cell by its number or its first line', () => {
    expect(texts('@cell')).toEqual(['@cell3', '@cell1']);
    expect(texts('@plot')).toEqual(['@cell3']);
    expect(complete('@3').map(({ description }) => description)).toEqual([]);
  });

  it('lists columns after a DataFrame’s name, in quotes if necessary', () => {
    expect(texts('mean of @df.')).toEqual([
      '@df.price',
      '@df."总 额"',
      '@df.城市'
    ]);
    expect(texts('@df.pr')).toEqual(['@df.price']);
    expect(complete('@df.pr')[0].description).toBe('int64');
  });

  it('lists names of R with a full stop, and the columns of the longest', () => {
    const { model } = setup();
    const frame = (name: string, column: string) => ({
      name,
      kind: 'data.frame',
      rowCount: 2,
      columnCount: 1,
      columns: [{ name: column, dtype: 'integer' }]
    });
    const frames = [frame('df', 'price'), frame('df.new', 'id')];
    const variables = [{ name: 'df.part', kind: 'integer' }];
    model.setState({ kernel: { language: 'r', frames, variables } });
    const textsInR = (text: string) =>
      completeMention(model, text, () => [], trans).map(({ text }) => text);
    expect(textsInR('@df.p')).toEqual(['@df.price', '@df.part']);
    expect(textsInR('@df.n')).toEqual(['@df.new']);
    expect(textsInR('@df.new.')).toEqual(['@df.new.id']);
  });

  it('lists nothing for whole names, other words and addresses', () => {
    const none = ['', 'df', '@cell3 ', 'me@d', '@df', '@df.price', '@xyz'];
    for (const text of none) {
      expect(texts(text)).toEqual([]);
    }
  });
});
