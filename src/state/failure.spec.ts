import { ApiError } from '../api/request';
import { NotSentError, toFailure, isModelFailure } from './failure';

describe('toFailure', () => {
  it('distinguishes server errors, unsent requests and other errors', () => {
    const text = { template: 'No.', params: [] };
    const provider = { name: 'openai', label: 'OpenAI' };
    const answer = new ApiError(503, 'model_auth_failed', 'No.', {
      provider,
      text
    });
    expect(toFailure(answer)).toMatchObject({
      code: 'model_auth_failed',
      provider,
      text
    });
    expect(toFailure(new NotSentError('Save it.')).code).toBe('not_sent');
    // A bug of the page is not an interrupted stream, and its message is never shown.
    const bug = new TypeError('x is undefined');
    expect(toFailure(bug)).toEqual({ code: 'unknown', message: '' });
    expect(toFailure(bug, 'interrupted').code).toBe('interrupted');
    expect(toFailure(answer, 'interrupted').code).toBe('model_auth_failed');
  });

  it('recognizes failures that another model may avoid', () => {
    const of = (code: string) => isModelFailure({ code, message: '' });
    expect(['model_unknown', 'answer_cut', 'no_model'].every(of)).toBe(true);
    expect(['unreachable', 'generation_running'].some(of)).toBe(false);
  });
});
