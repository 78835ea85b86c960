import { countByBucket, nearestMoment, chartPositionsOf } from './activity';

const at = (...times: string[]) => times.map(timestamp => ({ timestamp }));

describe('the activity chart', () => {
  it('gives the moments increasing positions, whatever their timestamps', () => {
    const positions = chartPositionsOf(
      at(
        '2026-01-01T10:00:00Z',
        '2026-01-01T10:00:00Z',
        '2026-01-01T09:00:00Z',
        'no time',
        '2026-01-01T10:00:01Z'
      )
    );
    expect(positions[0]).toBe(0);
    for (let index = 1; index < positions.length; index++) {
      expect(positions[index]).toBeGreaterThan(positions[index - 1]);
    }
    expect(positions[positions.length - 1]).toBeLessThan(1);
  });

  it('counts a week without work as a short gap', () => {
    const [, second, third] = chartPositionsOf(
      at('2026-01-01T10:00:00Z', '2026-01-01T10:05:00Z', '2026-01-08T10:00:00Z')
    );
    expect(third - second).toBeCloseTo(second, 5);
  });

  it('has no positions without moments', () => {
    expect(chartPositionsOf([])).toEqual([]);
    expect(nearestMoment([], 0.5)).toBe(0);
  });

  it('counts moments by bucket and contributor', () => {
    const moments = [
      { author: 'model' as const },
      { author: 'person' as const },
      { author: 'agent' as const },
      { author: 'program' as const }
    ];
    expect(countByBucket(moments, [0, 0.1, 0.3, 0.99], 4)).toEqual([
      { model: 1, hand: 1, agent: 0, other: 0 },
      { model: 0, hand: 0, agent: 1, other: 0 },
      { model: 0, hand: 0, agent: 0, other: 0 },
      { model: 0, hand: 0, agent: 0, other: 1 }
    ]);
  });

  it('finds the moment nearest to a position, or now', () => {
    const positions = [0, 0.2, 0.6];
    expect(nearestMoment(positions, 0)).toBe(0);
    expect(nearestMoment(positions, 0.15)).toBe(1);
    expect(nearestMoment(positions, 0.45)).toBe(2);
    expect(nearestMoment(positions, 0.7)).toBe(2);
    expect(nearestMoment(positions, 0.9)).toBe(3);
    expect(nearestMoment(positions, 2)).toBe(3);
    expect(nearestMoment(positions, -1)).toBe(0);
  });
});
