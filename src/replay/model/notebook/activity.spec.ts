import { activityOf, nearest, placesOf } from './activity';

const at = (...times: string[]) => times.map(timestamp => ({ timestamp }));

describe('the line of work', () => {
  it('gives each moment a place of its own, in order, whatever the clocks say', () => {
    const places = placesOf(
      at(
        '2026-01-01T10:00:00Z',
        '2026-01-01T10:00:00Z',
        '2026-01-01T09:00:00Z',
        'no time',
        '2026-01-01T10:00:01Z'
      )
    );
    expect(places[0]).toBe(0);
    for (let index = 1; index < places.length; index++) {
      expect(places[index]).toBeGreaterThan(places[index - 1]);
    }
    expect(places[places.length - 1]).toBeLessThan(1);
  });

  it('counts a week away as a short pause', () => {
    const [, noon, later] = placesOf(
      at('2026-01-01T10:00:00Z', '2026-01-01T10:05:00Z', '2026-01-08T10:00:00Z')
    );
    expect(later - noon).toBeCloseTo(noon, 5);
  });

  it('has no places where nothing happened', () => {
    expect(placesOf([])).toEqual([]);
    expect(nearest([], 0.5)).toBe(0);
  });

  it('tells how much happened where, and whose it was', () => {
    const moments = [
      { author: 'model' as const },
      { author: 'person' as const },
      { author: 'program' as const }
    ];
    expect(activityOf(moments, [0, 0.1, 0.99], 4)).toEqual([
      { model: 1, hand: 1, other: 0, first: 0 },
      { model: 0, hand: 0, other: 0, first: -1 },
      { model: 0, hand: 0, other: 0, first: -1 },
      { model: 0, hand: 0, other: 1, first: 2 }
    ]);
  });

  it('finds the moment nearest to a place; behind the last one is now', () => {
    const places = [0, 0.2, 0.6];
    expect(nearest(places, 0)).toBe(0);
    expect(nearest(places, 0.15)).toBe(1);
    expect(nearest(places, 0.45)).toBe(2);
    expect(nearest(places, 0.7)).toBe(2);
    expect(nearest(places, 0.9)).toBe(3);
    expect(nearest(places, 2)).toBe(3);
    expect(nearest(places, -1)).toBe(0);
  });
});
