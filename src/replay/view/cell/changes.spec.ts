import { stepsOf } from '../../model/replay.fakes';
import { countStepChanges } from './changes';

describe('countStepChanges', () => {
  const changes = (before: string, code: string) =>
    countStepChanges({ ...stepsOf(code)[0], before });

  it('counts lines added and removed', () => {
    expect(changes('', 'a\nb')).toEqual({ added: 2, removed: 0 });
    expect(changes('a\nb', '')).toEqual({ added: 0, removed: 2 });
    expect(changes('a\nb', 'a\nb')).toEqual({ added: 0, removed: 0 });
    expect(changes('a\nb\nc', 'a\nx\nc')).toEqual({ added: 1, removed: 1 });
    expect(changes('a\nc', 'a\nb\nc')).toEqual({ added: 1, removed: 0 });
    expect(changes('a\nb', 'a')).toEqual({ added: 0, removed: 1 });
    expect(changes('\n\n\nb', '\nb')).toEqual({ added: 0, removed: 2 });
    expect(changes('a\n\nb', 'a\n\n\nb')).toEqual({ added: 1, removed: 0 });
  });

  it('compares with the code that the request started from', () => {
    const step = { ...stepsOf('a\nc')[0], before: 'zzz', base: 'a\nb' };
    expect(countStepChanges(step)).toEqual({ added: 1, removed: 1 });
  });
});
