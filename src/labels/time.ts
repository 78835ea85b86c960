/** Formats times in the person's language, relative to days in the local time zone. */

const DAY = 24 * 60 * 60_000;

export interface IShownTime {
  /** "10:02", "yesterday", "27 Jan", "27 Jan 2024" */
  readonly short: string;
  readonly clock: string;
  readonly full: string;
}

/** Relative to `now`; an invalid time is returned unchanged. */
export function showTime(
  stored: string,
  now: Date,
  locale?: string
): IShownTime {
  const date = new Date(stored);
  if (Number.isNaN(date.getTime())) {
    return { short: stored, clock: '', full: stored };
  }
  const tag = toTag(locale);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, options).format(date);
  const full = format({ dateStyle: 'full', timeStyle: 'medium' });
  const clock = format({ timeStyle: 'short' });
  const days = daysBetween(date, now);
  if (days === 0) {
    return { short: clock, clock, full };
  }
  if (days === 1) {
    const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
    return { short: relative.format(-1, 'day'), clock, full };
  }
  const short = format({
    day: 'numeric',
    month: 'short',
    year: yearOf(date, now)
  });
  return { short, clock, full };
}

/** Format a stored time with its day, unless that is today: "10:02", "27 Jan 10:02". */
export function showDayAndClock(
  stored: string,
  now: Date,
  locale?: string
): string {
  const { short, clock } = showTime(stored, now, locale);
  return short === clock || !clock ? short : `${short} ${clock}`;
}

function yearOf(date: Date, now: Date): 'numeric' | undefined {
  return date.getFullYear() === now.getFullYear() ? undefined : 'numeric';
}

/** "today", "yesterday", "Thursday, 12 March", with the year if it differs */
export function showDay(date: Date, now: Date, locale?: string): string {
  const tag = toTag(locale);
  const days = daysBetween(date, now);
  if (days === 0 || days === 1) {
    const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
    return relative.format(-days, 'day');
  }
  return new Intl.DateTimeFormat(tag, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: yearOf(date, now)
  }).format(date);
}

export function daysBetween(earlier: Date, later: Date): number {
  return dayNumber(later) - dayNumber(earlier);
}

function dayNumber(date: Date): number {
  return Math.round(
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY
  );
}

/** Undefined, the browser's language, if the tag isn't valid. */
function toTag(locale?: string): string | undefined {
  try {
    return locale && Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}
