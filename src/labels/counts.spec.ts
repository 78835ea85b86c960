import { Gettext, nullTranslator } from '@jupyterlab/translation';

import { countText } from './counts';

describe('countText', () => {
  it('writes numbers as the language of the interface does', () => {
    expect(countText(12345, new Gettext({ locale: 'zh_TW' }))).toBe('12,345');
    expect(countText(12345, new Gettext({ locale: 'de_DE' }))).toBe('12.345');
  });

  it('writes them as English does where no language is known', () => {
    expect(countText(12345, nullTranslator.load('aiserver'))).toBe('12,345');
  });
});
