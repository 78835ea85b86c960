import type { TranslationBundle } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';

import { failureText } from './failures';
import { serverText } from './serverwords';

/** A language in which each text is said as `<text>`. */
const trans = {
  ...nullTranslator.load('aiserver'),
  gettext: (text: string, ...said: string[]) =>
    `<${text.replace(/%(\d)/g, (_, number) => said[Number(number) - 1])}>`,
  __: (text: string) => text
} as unknown as TranslationBundle;

describe('serverText', () => {
  it('translates a sentence that the server says to the letter', () => {
    expect(serverText('Something went wrong.', trans)).toBe(
      '<Something went wrong.>'
    );
  });

  it('puts in what the server put in', () => {
    const said =
      'There is not enough space on the disk: 491 MB are needed, 12 MB are free. AISERVER_MODEL_DIR can name another folder.';
    expect(serverText(said, trans)).toBe(`<${said}>`);
  });

  it('takes what was put in for text, whatever it is (P12)', () => {
    const said = 'There is no provider called “<b>%1 $& .*”.';
    expect(serverText(said, trans)).toBe(`<${said}>`);
  });

  it('leaves what it does not know as it is', () => {
    expect(serverText('Something went wrong. Or not.', trans)).toBe(
      'Something went wrong. Or not.'
    );
    expect(serverText('', trans)).toBe('');
  });

  it('is what a failure without words of the page is told by', () => {
    const failure = {
      code: 'install_failed',
      message: 'No installation runs.'
    };
    expect(failureText(failure, trans)).toBe('<No installation runs.>');
  });
});
