import { removeChineseSpaces, joinSentences } from './spacing';

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
