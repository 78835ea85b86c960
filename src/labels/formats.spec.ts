import { Gettext, nullTranslator } from '@jupyterlab/translation';

import { countText, durationText, roughDuration } from './formats';

const trans = nullTranslator.load('aiserver');

describe('durationText', () => {
  it('formats every duration as a number, a space and a unit', () => {
    const day = 86_400_000;
    const shown = [
      ...[0, 41, 310, 2549, 40_000, 65_000, 480_000, 7_260_000],
      ...[1.1 * day, 3 * day]
    ];
    expect(shown.map(ms => durationText(ms, trans))).toEqual([
      '0 ms',
      '41 ms',
      '0.31 s',
      '2.5 s',
      '40 s',
      '1 min 5 s',
      '8 min',
      '2 h 1 min',
      '1 day 2 h',
      '3 days'
    ]);
  });

  it('never shows sixty of a unit', () => {
    expect(durationText(59_990, trans)).toBe('1 min');
    expect(durationText(3_599_800, trans)).toBe('1 h');
    expect(durationText(86_399_000, trans)).toBe('1 day');
    expect(durationText(99.7, trans)).toBe('0.1 s');
  });
});

describe('roughDuration', () => {
  it('rounds down to the largest unit', () => {
    const hour = 3_600_000;
    const shown = [40_400, 65_000, 5_000_000, 30 * hour, 72 * hour];
    expect(shown.map(ms => roughDuration(ms, trans))).toEqual([
      '40 s',
      '1 min',
      '1 h',
      '1 day',
      '3 days'
    ]);
  });
});

describe('countText', () => {
  it('formats numbers in the language of the interface', () => {
    expect(countText(12345, new Gettext({ locale: 'zh_TW' }))).toBe('12,345');
    expect(countText(12345, new Gettext({ locale: 'de_DE' }))).toBe('12.345');
  });

  it('formats numbers in English if the language is unknown', () => {
    expect(countText(12345, nullTranslator.load('aiserver'))).toBe('12,345');
  });
});
