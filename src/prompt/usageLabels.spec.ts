import { Gettext, nullTranslator } from '@jupyterlab/translation';

import { costText, receiptTexts, sumReceipts, totalsText } from './usageLabels';

const trans = nullTranslator.load('aiserver');

describe('texts about usage', () => {
  it('formats small costs with two digits, in the language of the interface', () => {
    expect(
      [1234.5, 0.25, 0.0471, 0.000337, 0].map(cost => costText(cost, trans))
    ).toEqual(['$1,234.50', '$0.25', '$0.047', '$0.00034', '$0.00']);
    const chinese = new Gettext({ locale: 'zh_CN' });
    expect(costText(0.25, chinese)).toBe('US$0.25');
  });

  it('leaves out what isn’t stored (P47)', () => {
    expect(receiptTexts({}, trans)).toEqual([]);
    expect(receiptTexts({ hasPrompt: true, totalMs: 3400 }, trans)).toEqual([
      '3.4 s'
    ]);
    expect(
      receiptTexts(
        {
          inputTokens: 1200,
          cachedTokens: 1000,
          outputTokens: 30,
          firstTokenMs: 310,
          totalMs: 3400,
          cost: 0.5
        },
        trans
      )
    ).toEqual([
      '1,200 tokens read (1,000 cached)',
      '30 written',
      '3.4 s, first word after 0.31 s',
      '$0.50'
    ]);
  });

  it('says when a sum lacks some costs (P47)', () => {
    const receipt = { inputTokens: 100, outputTokens: 10 };
    const all = [
      { ...receipt, cost: 0.25 },
      { ...receipt, cost: 0.5 }
    ];
    expect(totalsText(sumReceipts(all), trans)).toBe('220 tokens · $0.75');
    expect(totalsText(sumReceipts([...all, receipt]), trans)).toBe(
      'at least 330 tokens · $0.75'
    );
    expect(totalsText(sumReceipts([receipt, {}]), trans)).toBe(
      'at least 110 tokens'
    );
    expect(totalsText(sumReceipts([receipt]), trans)).toBe('110 tokens');
    expect(totalsText(sumReceipts([undefined, {}]), trans)).toBe('');
    expect(totalsText(sumReceipts([...all, {}]), trans)).toBe(
      'at least 220 tokens · $0.75'
    );
  });
});
