/**
 * Times, in the person's own language: of today by the clock, earlier ones by their date.
 */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export interface IShownTime {
  /** Short: "10:02", "yesterday", "27 Jan", "27 Jan 2024". */
  readonly short: string;
  /** The time of the day. */
  readonly clock: string;
  /** The full date and time. */
  readonly full: string;
}

/**
 * A stored time, as shown `now`. A text that is no time is shown as it is.
 *
 * @param locale - A BCP 47 tag; what is none is passed over.
 */
export function showTime(
  stored: string,
  now: Date,
  locale?: string
): IShownTime {
  const date = new Date(stored);
  if (Number.isNaN(date.getTime())) {
    return { short: stored, clock: '', full: stored };
  }
  const tag = asTag(locale);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, options).format(date);
  const full = format({ dateStyle: 'full', timeStyle: 'medium' });
  const clock = format({ timeStyle: 'short' });
  return { short: short(date, now, tag, format), clock, full };
}

function short(
  date: Date,
  now: Date,
  tag: string | undefined,
  format: (options: Intl.DateTimeFormatOptions) => string
): string {
  const days = calendarDays(now) - calendarDays(date);
  if (days === 0) {
    return format({ timeStyle: 'short' });
  }
  if (days === 1) {
    return new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(
      -1,
      'day'
    );
  }
  const sameYear = date.getFullYear() === now.getFullYear();
  return format({
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' })
  });
}

/** How long something took: "40ms", "0.31s", "2.5s", "1m 5s", in the person's language. */
export function showDuration(ms: number, locale?: string): string {
  const tag = asTag(locale);
  const unit = (value: number, name: string, digits: number) =>
    new Intl.NumberFormat(tag, {
      style: 'unit',
      unit: name,
      unitDisplay: 'narrow',
      maximumFractionDigits: digits
    }).format(value);
  if (ms < 100) {
    return unit(Math.round(ms), 'millisecond', 0);
  }
  if (ms < MINUTE) {
    return unit(ms / 1000, 'second', ms < 1000 ? 2 : 1);
  }
  const seconds = Math.round(ms / 1000);
  const minutes = unit(Math.floor(seconds / 60), 'minute', 0);
  return `${minutes} ${unit(seconds % 60, 'second', 0)}`;
}

/** The number of a day, counted where the person is. */
function calendarDays(date: Date): number {
  return Math.round(
    Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / (24 * HOUR)
  );
}

/** The tag if it is one; undefined means the browser's own language. */
function asTag(locale?: string): string | undefined {
  try {
    return locale && Intl.getCanonicalLocales(locale)[0];
  } catch {
    return undefined;
  }
}
