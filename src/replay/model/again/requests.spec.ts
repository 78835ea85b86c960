import * as fc from 'fast-check';

import type { Step } from '../../../api/types';
import { foldRuns } from '../../../records/fold';
import { turnsOf } from './again.fakes';
import { NewSources, requestsTo } from './requests';

const intents = (steps: readonly Step[], position = steps.length - 1) =>
  requestsTo(steps, position).map(({ intent }) => intent);

describe('the requests that led to a version', () => {
  it('are the turns on its path, oldest first', () => {
    const steps = turnsOf(
      { code: 'a', title: 'one' },
      { code: 'b', title: 'left' },
      { code: 'c', title: 'two', before: 'a', parent: 0 },
      { code: 'c!', kind: 'edit' },
      { code: 'd', title: 'three' }
    );
    expect(intents(steps)).toEqual(['one', 'two', 'three']);
    expect(intents(steps, 1)).toEqual(['one', 'left']);
    expect(intents(steps, 3)).toEqual(['one', 'two']);
  });

  it('begin with the conversation', () => {
    const steps = turnsOf(
      { code: 'a', title: 'old' },
      { code: 'a', kind: 'context_reset' },
      { code: 'b', title: 'new' }
    );
    expect(intents(steps)).toEqual(['new']);
    expect(intents(steps, 1)).toEqual([]);
  });

  it('leave out failures, and count corrections and further answers as attempts', () => {
    const steps = turnsOf(
      { code: '', title: 'one', outcome: 'error', applied: false },
      { code: 'a', title: 'one', before: '', outcome: 'rejected' },
      { code: 'b', title: 'one', before: '', outcome: 'refined' },
      { code: 'c', title: 'correct it', mode: 'repair', base: 'b', before: '' },
      { code: 'd', title: 'two' },
      { code: 'e', title: 'three', outcome: 'cancelled' }
    );
    const [first, second, ...more] = requestsTo(steps, 5);
    expect(more).toEqual([]);
    expect(first).toMatchObject({ turnId: 2, intent: 'one', code: 'c' });
    expect(first.codes).toEqual(['a', 'b', 'c']);
    expect(second).toMatchObject({ turnId: 5, intent: 'two', code: 'd' });
  });

  it('have all answers of a step (P49)', () => {
    const attempt = { seq: 1, timestamp: '', outcome: 'open' } as const;
    const [request] = requestsTo(
      turnsOf({
        code: 'b',
        title: 'one',
        outcome: 'accepted',
        turnId: 3,
        attempts: [
          { ...attempt, turnId: 1, code: 'x', outcome: 'error' },
          { ...attempt, turnId: 2, code: 'a' },
          { ...attempt, turnId: 3, code: 'b', mode: 'repair' }
        ]
      }),
      0
    );
    expect(request).toMatchObject({ turnId: 2, code: 'b', codes: ['a', 'b'] });
    expect(request.attempts.map(({ turnId }) => turnId)).toEqual([2, 3]);
  });

  it('have the accepted answer, even if it was not the last one', () => {
    const steps = turnsOf(
      { code: 'a', title: 'one', outcome: 'accepted' },
      { code: 'b', title: 'one', before: '', outcome: 'open' }
    );
    expect(requestsTo(steps, 1)[0].code).toBe('a');
  });

  it('are limited to their lines', () => {
    const data = { selection: { first: 1, last: 2 } };
    const [request] = requestsTo(turnsOf({ code: 'a', data }), 0);
    expect(request.selection).toEqual({ first: 1, last: 2 });
  });

  it('end at a step without a valid parent', () => {
    expect(intents(turnsOf({ code: 'a', parent: 7 }))).toHaveLength(1);
    expect(requestsTo([], 0)).toEqual([]);
  });
});

describe('the code from which requests start when they are asked again', () => {
  const sourcesOf = (steps: readonly Step[], answers: (string | null)[]) => {
    const sources = new NewSources();
    return requestsTo(steps, steps.length - 1).map((request, index) => {
      const result = sources.sourceOf(request);
      sources.add(request, answers[index]);
      return result;
    });
  };

  it('is the new answer if the original one was taken unchanged', () => {
    const steps = turnsOf({ code: 'a', before: 's' }, { code: 'b' });
    expect(sourcesOf(steps, ['x', 'y'])).toEqual([
      { source: 's', isEdited: false },
      { source: 'x', isEdited: false }
    ]);
  });

  it('is the new answer after automatic corrections, too', () => {
    const steps = foldRuns(
      turnsOf(
        { code: 'a' },
        {
          code: 'a fixed',
          kind: 'edit',
          event: 'accept',
          author: 'program',
          name: 'AI Server',
          partOf: 0
        },
        { code: 'b' }
      )
    );
    expect(sourcesOf(steps, ['x', 'y'])[1].source).toBe('x');
  });

  it('is the person’s own code after an edit', () => {
    const steps = turnsOf(
      { code: 'a' },
      { code: 'mine', kind: 'edit', author: 'person' },
      { code: 'b' }
    );
    expect(sourcesOf(steps, ['x', 'y'])[1]).toEqual({
      source: 'mine',
      isEdited: true
    });
  });

  it('is the earlier code after a rejected answer', () => {
    const steps = turnsOf(
      { code: 'a' },
      { code: 'b', title: 'no', applied: false, outcome: 'rejected' },
      { code: 'c', title: 'yes', before: 'a' }
    );
    expect(sourcesOf(steps, ['x', 'y', 'z'])[2].source).toBe('x');
  });

  it('stays the same after an answer in words', () => {
    const steps = turnsOf({ code: 'a' }, { code: 'b' }, { code: 'c' });
    expect(sourcesOf(steps, ['x', null, 'z'])[2].source).toBe('x');
  });

  it('is always the last new answer if all answers were taken', () => {
    const codes = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(codes, old => {
        const steps = turnsOf(...old.map(code => ({ code })));
        const answers = old.map((_, index) => `new ${index}`);
        expect(sourcesOf(steps, answers).map(({ source }) => source)).toEqual(
          ['', ...answers].slice(0, old.length)
        );
      })
    );
  });
});
