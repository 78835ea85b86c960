import { nullTranslator } from '@jupyterlab/translation';

import { failureText } from './failureText';

const trans = nullTranslator.load('aiserver');
const provider = { name: 'deepseek', label: 'DeepSeek' };

describe('failureText', () => {
  it('is the text that the server sends', () => {
    const text = {
      template: '%1 rejected the API key.',
      params: [{ template: 'The provider', params: [] }]
    };
    const failure = { code: 'model_auth_failed', message: 'In English.', text };
    expect(failureText(failure, trans)).toBe(
      'The provider rejected the API key.'
    );
  });

  it('says when a request can be repeated', () => {
    const text = { template: 'Try again in a moment.', params: [] };
    const failure = { code: 'model_rate_limited', message: '', text };
    expect(failureText(failure, trans)).toBe('Try again in a moment.');
    expect(failureText({ ...failure, retryAfter: 5 }, trans)).toBe(
      'Rate limited by the provider. Try again in 5 s.'
    );
    expect(failureText({ ...failure, provider, retryAfter: 5 }, trans)).toBe(
      'Rate limited by DeepSeek. Try again in 5 s.'
    );
  });

  it('leaves out the command, which is shown next to it', () => {
    const failure = { code: 'model_package_missing', message: 'pip install x' };
    expect(failureText(failure, trans)).toMatch(/^This model needs/);
    expect(failureText({ ...failure, provider }, trans)).toBe(
      'DeepSeek models need one more Python package.'
    );
  });

  it('names a field of the API by the label of the form', () => {
    const textOf = (template: string, ...params: string[]) =>
      failureText(
        {
          code: 'invalid_request',
          message: 'As worded for programs.',
          text: { template, params }
        },
        trans
      );
    expect(textOf('%1: %2', 'key', 'required')).toBe('API key: required');
    expect(textOf('%1: %2', 'other', 'required')).toBe('other: required');
    expect(textOf('Not valid.')).toBe('Not valid.');
  });

  it('does not mention models if nothing is known', () => {
    const text = failureText({ code: 'new', message: '' }, trans);
    expect(text).toBe('Something went wrong. Try again.');
  });
});
