import { Gettext, nullTranslator } from '@jupyterlab/translation';

import { countText } from './counts';

describe('countText', () => {
  it('formats numbers in the language of the interface', () => {
    expect(countText(12345, new Gettext({ locale: 'zh_TW' }))).toBe('12,345');
    expect(countText(12345, new Gettext({ locale: 'de_DE' }))).toBe('12.345');
  });

  it('formats numbers in English if the language is unknown', () => {
    expect(countText(12345, nullTranslator.load('aiserver'))).toBe('12,345');
  });
});
