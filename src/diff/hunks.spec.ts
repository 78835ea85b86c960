import { hunks } from './hunks';

describe('hunks', () => {
  it('counts what the diff shows apart', () => {
    expect(hunks('a\nb\nc', 'a\nb\nc')).toBe(0);
    expect(hunks('a\nb\nc\nd\ne', 'A\nb\nc\nd\nE')).toBe(2);
    expect(hunks('a', 'a\nb')).toBe(1);
    expect(hunks('', 'x\ny')).toBe(1);
  });
});
