import { nullTranslator } from '@jupyterlab/translation';
import * as fs from 'fs';
import * as path from 'path';

import { failureText } from './failureText';

const trans = nullTranslator.load('aiserver');
const CANARY = 'as worded by the server';

/** Codes for which the server's own message is shown, because it is specific to the request. */
const SERVER_WORDED = [
  'error',
  'invalid_request',
  'not_found',
  'no_model',
  'model_error',
  'install_failed'
];

describe('failureText', () => {
  it('has a translatable text for each error code of the server', () => {
    const folder = path.join(__dirname, '../../aiserver/errors');
    const text = ['base.py', 'storage.py', 'model.py']
      .map(name => fs.readFileSync(path.join(folder, name), 'utf-8'))
      .join('\n');
    const codes = [...text.matchAll(/^ {4}code(?::.*)? = "(\w+)"/gm)].map(
      match => match[1]
    );
    expect(codes.length).toBeGreaterThan(25);
    const serverWorded = codes.filter(
      code => failureText({ code, message: CANARY }, trans) === CANARY
    );
    expect(serverWorded.sort()).toEqual([...SERVER_WORDED].sort());
  });

  it('names the provider if it is known', () => {
    const provider = { name: 'deepseek', label: 'DeepSeek' };
    for (const code of [
      'model_auth_failed',
      'model_forbidden',
      'model_key_missing',
      'model_no_credit',
      'model_refused_text',
      'model_unknown',
      'model_refused_request',
      'model_timeout',
      'model_unavailable',
      'model_rate_limited'
    ]) {
      const failure = { code, message: CANARY };
      expect(failureText({ ...failure, provider }, trans)).toContain(
        'DeepSeek'
      );
      expect(failureText(failure, trans)).toMatch(/provider|model/i);
    }
  });

  it('has distinct texts for an internal error, no credit and no answer', () => {
    const provider = { name: 'openai', label: 'OpenAI (proxy.example)' };
    const textOf = (code: string) =>
      failureText({ code, message: 'In English.', provider }, trans);
    const codes = [
      'model_unavailable',
      'model_failed',
      'model_no_credit',
      'model_no_answer',
      'model_rate_limited'
    ];
    const texts = codes.map(textOf);
    expect(new Set(texts).size).toBe(codes.length);
    for (const text of texts) {
      expect(text).toContain(provider.label);
    }
    expect(textOf('model_failed')).toContain('internal error');
    expect(textOf('model_no_credit')).toContain('credit or quota');
  });

  it('does not mention models if nothing is known', () => {
    const text = failureText({ code: 'new', message: '' }, trans);
    expect(text).toBe('Something went wrong. Try again.');
  });
});
