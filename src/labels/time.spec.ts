import { pickLocale } from './formats';
import { daysBetween, showDay, showDayAndClock, showTime } from './time';

describe('showTime', () => {
  // A local time, because "today" and "yesterday" depend on the time zone.
  const now = new Date(2026, 0, 27, 14, 30);
  const at = (...parts: [number, number, number, number, number]) =>
    showTime(new Date(...parts).toISOString(), now, 'en-GB').short;

  it('shows the time for today and the date for earlier days', () => {
    expect(at(2026, 0, 27, 14, 30)).toBe('14:30');
    expect(at(2026, 0, 27, 14, 25)).toBe('14:25');
    expect(at(2026, 0, 27, 9, 5)).toBe('09:05');
    expect(at(2026, 0, 26, 23, 59)).toBe('yesterday');
    expect(at(2026, 0, 3, 12, 0)).toBe('3 Jan');
    expect(at(2025, 11, 31, 12, 0)).toBe('31 Dec 2025');
  });

  it('starts a new day at midnight', () => {
    const early = new Date(2026, 0, 27, 2, 0);
    const late = new Date(2026, 0, 26, 23, 0).toISOString();
    expect(showTime(late, early, 'en-GB').short).toBe('yesterday');
  });

  it('uses the language of the interface, and includes the full time', () => {
    const stored = new Date(2026, 0, 26, 10, 2, 3).toISOString();
    const { short, full } = showTime(stored, now, 'zh-CN');
    expect(short).toBe('昨天');
    expect(full).toContain('2026年1月26日');
    expect(full).toContain('10:02:03');
  });

  it('returns an invalid time unchanged, and ignores an invalid locale', () => {
    expect(showTime('soon', now).short).toBe('soon');
    const stored = new Date(2026, 0, 26, 10, 2).toISOString();
    expect(showTime(stored, now, 'no such locale').short).not.toBe('');
  });
});

describe('showDayAndClock', () => {
  it('leaves out the day if it is today', () => {
    const now = new Date(2026, 0, 27, 14, 30);
    const at = (...parts: [number, number, number, number, number]) =>
      showDayAndClock(new Date(...parts).toISOString(), now, 'en-GB');
    expect(at(2026, 0, 27, 9, 5)).toBe('09:05');
    expect(at(2026, 0, 26, 23, 59)).toBe('yesterday 23:59');
    expect(at(2025, 11, 31, 12, 0)).toBe('31 Dec 2025 12:00');
    expect(showDayAndClock('soon', now)).toBe('soon');
  });
});

describe('showDay', () => {
  const now = new Date(2026, 2, 19, 0, 30);
  const dayOf = (date: Date, locale = 'en-GB') => showDay(date, now, locale);

  it('names the day in the local time zone', () => {
    expect(dayOf(new Date(2026, 2, 19, 0, 10))).toBe('today');
    expect(dayOf(new Date(2026, 2, 18, 23, 50))).toBe('yesterday');
    expect(dayOf(new Date(2026, 2, 12, 9, 0))).toBe('Thursday 12 March');
    expect(dayOf(new Date(2025, 11, 1, 9, 0))).toContain('2025');
    expect(dayOf(new Date(2026, 2, 12, 9, 0), 'zh-CN')).toBe('3月12日星期四');
  });

  it('counts days, not hours', () => {
    expect(daysBetween(new Date(2026, 2, 18, 23, 50), now)).toBe(1);
    expect(daysBetween(new Date(2026, 2, 18, 0, 10), now)).toBe(1);
    expect(daysBetween(now, new Date(2026, 3, 19, 0, 10))).toBe(31);
  });
});

describe('pickLocale', () => {
  it("prefers the browser's variant of the interface's language", () => {
    expect(pickLocale('en', ['zh-CN', 'en-GB', 'en-US'])).toBe('en-GB');
    expect(pickLocale('zh_TW', ['zh-CN'])).toBe('zh-TW');
    expect(pickLocale('de', ['en-US'])).toBe('de');
  });
});
