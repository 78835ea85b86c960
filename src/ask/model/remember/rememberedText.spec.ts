import { rememberedClause, rememberedText } from './rememberedText';

/** Requests that begin with “remember”, and the texts to remember. */
const REQUESTS: [string, string][] = [
  ['remember use polars', 'use polars'],
  [
    'Remember that the fact table is sales_2026',
    'the fact table is sales_2026'
  ],
  ['remember to use seaborn.', 'use seaborn.'],
  ['Please remember: titles in Chinese', 'titles in Chinese'],
  ['please, remember that the key is order_id', 'the key is order_id'],
  ['  REMEMBER, amounts are in CNY\n', 'amounts are in CNY'],
  ['remember that “how” columns are text', '“how” columns are text'],
  ['remember the whatever table is old', 'the whatever table is old'],
  ['remember: rows < 0.5 are errors', 'rows < 0.5 are errors'],
  ['remember 图表标题用中文', '图表标题用中文'],
  ['记住用 polars', '用 polars'],
  ['记住：图表标题用中文', '图表标题用中文'],
  ['请记住，金额的单位是元。', '金额的单位是元。'],
  ['记得画图用 seaborn', '画图用 seaborn'],
  ['麻烦帮我记住 事实表是 sales_2026', '事实表是 sales_2026'],
  ['记住了：主键是 order_id', '主键是 order_id'],
  ['記住用 polars', '用 polars'],
  ['請記住：圖表標題用中文', '圖表標題用中文'],
  ['記得畫圖用 seaborn', '畫圖用 seaborn'],
  ['/remember use polars', 'use polars'],
  ['/remember how the loader works', 'how the loader works'],
  ['/记住 用 polars', '用 polars'],
  ['／記住：用 polars', '用 polars']
];

/** Requests that end with such a clause, and the texts to remember. */
const CLAUSES: [string, string][] = [
  ['plot sales by month, and remember to use seaborn', 'use seaborn'],
  [
    'plot sales by month and remember that titles are in Chinese.',
    'titles are in Chinese'
  ],
  ['plot sales. Remember: amounts are in CNY', 'amounts are in CNY'],
  ['plot sales; please remember to use seaborn', 'use seaborn'],
  ['plot sales\nRemember that 0.5 is the limit', '0.5 is the limit'],
  ['plot sales by month - and also remember to use seaborn', 'use seaborn'],
  ['why does it fail? Remember that id is a text', 'id is a text'],
  ['画出每月的收入；记住用 seaborn', '用 seaborn'],
  ['画出每月的收入，并记住图表标题用中文。', '图表标题用中文'],
  ['画出每月的收入。另外，请记住金额的单位是元', '金额的单位是元'],
  ['画图，记得用 seaborn', '用 seaborn'],
  ['畫出每月的收入，並且記住用 seaborn', '用 seaborn'],
  ['畫圖。請記得圖表標題用中文', '圖表標題用中文'],
  ['plot sales，记住用 seaborn', '用 seaborn']
];

const OTHERS = [
  'plot sales by month',
  '',
  'remember',
  'Remember.',
  'please remember ',
  'remember how to plot?',
  'remember how to plot a histogram',
  'Remember what the key is?',
  'remember the key of sales?',
  'remember if the table is sorted',
  'do you remember the table?',
  'Do you remember that we used polars',
  'can you remember the key',
  'I remember that the key was order_id',
  'remembered = df.last_valid_index()',
  'remembering the last value, fill the gaps',
  'remember_last(df)',
  'remember me',
  'a form with a check box to remember me',
  'a login form, and remember me',
  'a class that caches results, so that they remember the state',
  'call a.remember for each row',
  'sort the rows, and remember how many there were',
  'fill the gaps, and remember to close the file. Then plot it',
  'plot it. Do you remember the key?',
  'print("x")  # remember to close the file',
  '记住',
  '请记住：',
  '记得怎么画直方图吗？',
  '记住怎么画直方图',
  '记得主键是什么吗',
  '记得主键是哪一列？',
  '你还记得主键吗？',
  '我记得主键是 order_id',
  '记住的值放到一列里',
  '记得上次的图吗。',
  '记得不太清楚，主键是哪列',
  '画一个带“记住我”的表单',
  '画图，你还记得用什么库吗？',
  '画图，记得怎么做吗',
  '先记录每一行，再画图',
  '記得怎麼畫圖嗎？',
  '記住如何畫圖',
  '你還記得主鍵嗎？'
];

describe('rememberedText', () => {
  it.each(REQUESTS)('reads %j as a text to remember', (request, text) => {
    expect(rememberedText(request)).toBe(text);
    expect(rememberedClause(request)).toBeNull();
  });

  it.each([...OTHERS, ...CLAUSES.map(([request]) => request)])(
    'leaves %j to the model',
    request => expect(rememberedText(request)).toBeNull()
  );
});

describe('rememberedClause', () => {
  it.each(CLAUSES)('finds the clause at the end of %j', (request, text) =>
    expect(rememberedClause(request)).toBe(text)
  );

  it.each(OTHERS)('finds nothing in %j', request =>
    expect(rememberedClause(request)).toBeNull()
  );

  it('finds each text that is recognised alone after any request and separator', () => {
    const requests = ['plot sales by month', '画出每月的收入', 'fix `a.b[1]`'];
    const separators = ['. ', ', and ', '; ', '；', '，', '\n', ' and '];
    const texts = REQUESTS.filter(
      ([text]) => !/^\s*[/／]/.test(text) && !/[.。]$/.test(text.trim())
    );
    expect(texts.length).toBeGreaterThan(12);
    for (const request of requests) {
      for (const separator of separators) {
        for (const [sample, text] of texts) {
          const sentence = request + separator + sample.trimStart();
          expect([sentence, rememberedClause(sentence)]).toEqual([
            sentence,
            text
          ]);
        }
      }
    }
  });
});
