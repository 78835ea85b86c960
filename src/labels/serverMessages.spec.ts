import type { TranslationBundle } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';

import { EARLIER } from './earlierMessages';
import { failureText } from './failureText';
import { serverText } from './serverMessages';

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
      'Not enough disk space: 491 MB needed, 12 MB free. To use another folder, set AISERVER_MODEL_DIR.';
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

  it('names a field of the API as the form does', () => {
    expect(serverText('key: required for OpenAI', trans)).toBe(
      '<API key: required for OpenAI>'
    );
  });

  it('shows what earlier versions noted as it is worded now', () => {
    expect(
      serverText(
        'Mistral refused the key. Check the key, then try again.',
        trans
      )
    ).toBe('<Mistral rejected the API key. Check the key, then try again.>');
    expect(
      serverText('Models of OpenAI need one more package: pip x', trans)
    ).toBe('<OpenAI models need one more Python package: pip x>');
  });

  it.each(EARLIER)('knows what “%s” became', (before, now) => {
    const text = serverText(before.replace(/%(\d)/g, 'part $1'), trans);
    expect(text).toMatch(/^<.*>$/);
    expect(text.replace(/[<>]/g, '')).toBe(now.replace(/%(\d)/g, 'part $1'));
  });

  it('translates the name of a server that has none', () => {
    const said = 'The provider rejected the request. Check the model name.';
    expect(serverText(said, trans)).toBe(
      '<<The provider> rejected the request. Check the model name.>'
    );
  });

  it('is what a failure without words of the page is told by', () => {
    const failure = {
      code: 'install_failed',
      message: 'No installation is running.'
    };
    expect(failureText(failure, trans)).toBe('<No installation is running.>');
  });
});
