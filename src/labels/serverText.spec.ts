import {
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';

import {
  joinSentences,
  labelText,
  removeChineseSpaces,
  sentenceText,
  serverText
} from './serverText';

/** A bundle that translates each text as `<text>`. */
const plain = nullTranslator.load('aiserver');
const trans = {
  ...plain,
  gettext: (text: string, ...values: string[]) =>
    `<${plain.gettext(text, ...values)}>`,
  __: (text: string) => `<${text}>`
} as unknown as TranslationBundle;

describe('serverText', () => {
  it('fills in the parameters, and translates those that are texts', () => {
    const params = ['491', { template: 'the provider', params: [] }];
    expect(serverText({ template: '%2 has %1 MB.', params }, trans)).toBe(
      '<<the provider> has 491 MB.>'
    );
  });

  it('treats parameters as plain text (P12)', () => {
    const value = '<b>%1 $& .*';
    expect(serverText({ template: '“%1”', params: [value] }, trans)).toBe(
      `<“${value}”>`
    );
  });
});

describe('sentenceText', () => {
  it('translates a sentence, and never fills in parameters', () => {
    expect(sentenceText('Not found.', trans)).toBe('<Not found.>');
    expect(sentenceText('100%1', trans)).toBe('100%1');
    expect(sentenceText('', trans)).toBe('');
  });
});

describe('labelText', () => {
  it('translates “OpenAI-compatible server”, and no other name', () => {
    expect(labelText('m (OpenAI-compatible server)', trans)).toBe(
      'm (<OpenAI-compatible server>)'
    );
    expect(labelText('m (OpenAI)', trans)).toBe('m (OpenAI)');
  });
});

describe('removeChineseSpaces', () => {
  it('keeps spaces only next to Latin letters and digits', () => {
    expect(removeChineseSpaces('提供商 拒绝了 API 密钥。')).toBe(
      '提供商拒绝了 API 密钥。'
    );
    expect(removeChineseSpaces('OpenAI 拒绝了 3 次')).toBe(
      'OpenAI 拒绝了 3 次'
    );
    expect(removeChineseSpaces('由 智能体 编辑')).toBe('由智能体编辑');
    expect(removeChineseSpaces('The model is ready. Ask now.')).toBe(
      'The model is ready. Ask now.'
    );
  });
});

describe('joinSentences', () => {
  it('separates English sentences by a space, and Chinese ones by none', () => {
    expect(joinSentences('Done.', '', 'Ask now.')).toBe('Done. Ask now.');
    expect(joinSentences('未能停止安装。', '请重试。')).toBe(
      '未能停止安装。请重试。'
    );
    expect(joinSentences('完成。', 'GPT 已就绪。')).toBe('完成。GPT 已就绪。');
  });
});
