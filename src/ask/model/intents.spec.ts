import { IntentHistory } from './intents';

describe('IntentHistory', () => {
  it('steps back and forth and restores the draft', () => {
    const intents = new IntentHistory();
    intents.addOlder(['plot', '读取 data.csv']);
    intents.add('sum it');
    expect(intents.previous('half a')).toBe('sum it');
    expect(intents.previous('sum it')).toBe('读取 data.csv');
    expect(intents.next()).toBe('sum it');
    expect(intents.next()).toBe('half a');
    expect(intents.next()).toBeNull();
  });

  it('stays at the first one', () => {
    const intents = new IntentHistory();
    intents.add('only');
    expect(intents.previous('')).toBe('only');
    expect(intents.previous('only')).toBeNull();
    expect(intents.next()).toBe('');
  });

  it('offers nothing while it is empty', () => {
    const intents = new IntentHistory();
    expect(intents.previous('text')).toBeNull();
    expect(intents.next()).toBe('text');
  });

  it('offers each request once, at its newest position, and current ones before older ones', () => {
    const intents = new IntentHistory();
    intents.add('a');
    intents.add(' b ');
    intents.add('a');
    intents.add('   ');
    intents.addOlder(['b', 'z']);
    const all = [
      intents.previous(''),
      intents.previous(''),
      intents.previous(''),
      intents.previous('')
    ];
    expect(all).toEqual(['a', 'b', 'z', null]);
  });

  it('starts over after the person typed', () => {
    const intents = new IntentHistory();
    intents.add('a');
    intents.add('b');
    intents.previous('');
    intents.previous('');
    intents.resetPosition();
    expect(intents.previous('typed')).toBe('b');
    expect(intents.next()).toBe('typed');
  });
});
