import type { TranslationBundle } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';

import { EARLIER_MESSAGES } from './earlierMessages';
import { failureText } from './failureText';
import { serverText } from './serverMessages';

/** A bundle that translates each text as `<text>`. */
const trans = {
  ...nullTranslator.load('aiserver'),
  gettext: (text: string, ...values: string[]) =>
    `<${text.replace(/%(\d)/g, (_, number) => values[Number(number) - 1])}>`,
  __: (text: string) => text
} as unknown as TranslationBundle;

describe('serverText', () => {
  it('translates a listed message', () => {
    expect(serverText('Something went wrong.', trans)).toBe(
      '<Something went wrong.>'
    );
  });

  it('fills in the values of the message', () => {
    const message =
      'Not enough disk space: 491 MB needed, 12 MB free. To use another folder, set AISERVER_MODEL_DIR.';
    expect(serverText(message, trans)).toBe(`<${message}>`);
  });

  it('treats values as plain text (P12)', () => {
    const message = 'There is no provider called “<b>%1 $& .*”.';
    expect(serverText(message, trans)).toBe(`<${message}>`);
  });

  it('returns an unknown message unchanged', () => {
    expect(serverText('Something went wrong. Or not.', trans)).toBe(
      'Something went wrong. Or not.'
    );
    expect(serverText('', trans)).toBe('');
  });

  it('names a field of the API by the label of the form', () => {
    expect(serverText('key: required for OpenAI', trans)).toBe(
      '<API key: required for OpenAI>'
    );
  });

  it('replaces a message of an earlier version', () => {
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

  it.each(EARLIER_MESSAGES)('replaces “%s”', (earlier, current) => {
    const text = serverText(earlier.replace(/%(\d)/g, 'part $1'), trans);
    expect(text).toMatch(/^<.*>$/);
    expect(text.replace(/[<>]/g, '')).toBe(
      current.replace(/%(\d)/g, 'part $1')
    );
  });

  it('translates the name for a server without a name', () => {
    const message = 'The provider rejected the request. Check the model name.';
    expect(serverText(message, trans)).toBe(
      '<<The provider> rejected the request. Check the model name.>'
    );
  });

  it('is the text of a failure that has no other text', () => {
    const failure = {
      code: 'install_failed',
      message: 'No installation is running.'
    };
    expect(failureText(failure, trans)).toBe('<No installation is running.>');
  });
});
