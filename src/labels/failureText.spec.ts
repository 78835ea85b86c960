import { nullTranslator } from '@jupyterlab/translation';
import * as fs from 'fs';
import * as path from 'path';

import { failureText } from './failureText';

const trans = nullTranslator.load('aiserver');
const CANARY = 'in the words of the server';

/** Those whose sentence names what was wrong with this very request: the server's own is shown. */
const OWN_WORDS = [
  'error',
  'invalid_request',
  'not_found',
  'no_model',
  'model_error',
  'install_failed'
];

describe('failureText', () => {
  it('words each code of the server itself, so that it can be translated', () => {
    const folder = path.join(__dirname, '../../aiserver/errors');
    const text = ['base.py', 'storage.py', 'model.py']
      .map(name => fs.readFileSync(path.join(folder, name), 'utf-8'))
      .join('\n');
    const codes = [...text.matchAll(/^ {4}code(?::.*)? = "(\w+)"/gm)].map(
      match => match[1]
    );
    expect(codes.length).toBeGreaterThan(25);
    const own = codes.filter(
      code => failureText({ code, message: CANARY }, trans) === CANARY
    );
    expect(own.sort()).toEqual([...OWN_WORDS].sort());
  });

  it('names the provider where that is known', () => {
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

  it('has sentences of their own for a fault inside, no credit and no answer', () => {
    const provider = { name: 'openai', label: 'OpenAI (proxy.example)' };
    const said = (code: string) =>
      failureText({ code, message: 'In English.', provider }, trans);
    const codes = [
      'model_unavailable',
      'model_failed',
      'model_no_credit',
      'model_no_answer',
      'model_rate_limited'
    ];
    const texts = codes.map(said);
    expect(new Set(texts).size).toBe(codes.length);
    for (const text of texts) {
      expect(text).toContain(provider.label);
    }
    expect(said('model_failed')).toContain('internal error');
    expect(said('model_no_credit')).toContain('credit or quota');
  });

  it('says nothing of models where nothing is known', () => {
    const text = failureText({ code: 'new', message: '' }, trans);
    expect(text).toBe('Something went wrong. Try again.');
  });
});
