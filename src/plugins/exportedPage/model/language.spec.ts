import { createBundle, pickLanguage } from './language';

describe('the language of the exported page', () => {
  it.each([
    [['zh-HK', 'en'], 'zh-TW'],
    [['zh'], 'zh-CN'],
    [['fr-CA', 'zh-Hans-SG'], 'zh-CN'],
    [['en-GB', 'zh-TW'], 'en'],
    [['fr'], 'en']
  ])('for %s is %s', (preferred, language) => {
    expect(pickLanguage(preferred, ['zh-CN', 'zh-TW'])).toBe(language);
  });

  it('fills in values and chooses plural forms', () => {
    const english = createBundle('en', {});
    expect(english.__('%2 of %1', 5, '%1')).toBe('%1 of 5');
    expect(english._n('%1 cell', '%1 cells', 1)).toBe('1 cell');
    expect(english._n('%1 cell', '%1 cells', 0)).toBe('0 cells');
    const polish = createBundle('pl', {
      '%1 cell': ['%1 komórka', '%1 komórki', '%1 komórek'],
      'between names\x04, ': ['; ']
    });
    const counts = [1, 2, 5].map(n => polish._n('%1 cell', '%1 cells', n));
    expect(counts).toEqual(['1 komórka', '2 komórki', '5 komórek']);
    expect(polish._p('between names', ', ')).toBe('; ');
    expect(polish.__('Not translated')).toBe('Not translated');
  });
});
