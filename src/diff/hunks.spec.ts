import { countHunks } from './hunks';

describe('countHunks', () => {
  it('counts the separate changes of the diff', () => {
    expect(countHunks('a\nb\nc', 'a\nb\nc')).toBe(0);
    expect(countHunks('a\nb\nc\nd\ne', 'A\nb\nc\nd\nE')).toBe(2);
    expect(countHunks('a', 'a\nb')).toBe(1);
    expect(countHunks('', 'x\ny')).toBe(1);
  });
});
