import { ApiError } from '../api/request';
import { NotSent, asCutOff, asFailure, isOfModel } from './failure';

describe('asFailure', () => {
  it('tells an answer, a refusal of our own, and all else apart', () => {
    const provider = { name: 'openai', label: 'OpenAI' };
    const answer = new ApiError(503, 'model_auth_failed', 'No.', { provider });
    expect(asFailure(answer)).toMatchObject({
      code: 'model_auth_failed',
      provider
    });
    expect(asFailure(new NotSent('Save it.')).code).toBe('not_sent');
    // A fault of the page is no answer that broke off, and its words are nobody's.
    const fault = new TypeError('x is undefined');
    expect(asFailure(fault)).toEqual({ code: 'unknown', message: '' });
    expect(asCutOff(fault).code).toBe('interrupted');
    expect(asCutOff(answer).code).toBe('model_auth_failed');
  });

  it('knows what another model could do better', () => {
    const of = (code: string) => isOfModel({ code, message: '' });
    expect(['model_unknown', 'answer_cut', 'no_model'].every(of)).toBe(true);
    expect(['unreachable', 'generation_running'].some(of)).toBe(false);
  });
});
