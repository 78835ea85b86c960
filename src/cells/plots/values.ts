/**
 * Describes the values of a plot for a model.
 *
 * Invariant: the length of a description is limited, whatever the values are.
 */

/** More values are only summarised. */
const MAX_LISTED = 24;
const MAX_TEXTS = 12;
const MAX_TEXT = 60;
const DATE = /^\d{4}-\d\d(?:-\d\d(?:[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?)?$/;

/** Return a description such as `3 to 90, mean 42.5`. */
export function describeValues(values: readonly unknown[]): string {
  const present = values.filter(value => !isMissing(value));
  const missing = values.length - present.length;
  const text = missing
    ? `${describePresent(present)} (${missing} missing)`
    : describePresent(present);
  return present.length ? text : 'no values';
}

export function valueText(value: unknown): string {
  if (typeof value === 'number') {
    return String(Number(value.toPrecision(6)));
  }
  const text =
    typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const short = DATE.test(text) ? text.replace(/[T ]00:00:00.*$/, '') : text;
  return short.length > MAX_TEXT ? `${short.slice(0, MAX_TEXT)}…` : short;
}

/** `1 point`, `2 points` */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function describePresent(values: readonly unknown[]): string {
  const numbers = values.filter(value => typeof value === 'number');
  const isNumeric = numbers.length === values.length;
  const summary = isNumeric ? numbersText(numbers) : textsText(values);
  if (values.length > MAX_LISTED) {
    return summary;
  }
  const list = values.map(valueText).join(', ');
  return isNumeric && values.length > 1 ? `${list} (${summary})` : list;
}

function numbersText(numbers: readonly number[]): string {
  let [min, max, sum] = [Infinity, -Infinity, 0];
  for (const number of numbers) {
    min = Math.min(min, number);
    max = Math.max(max, number);
    sum += number;
  }
  const mean = valueText(sum / numbers.length);
  return `${valueText(min)} to ${valueText(max)}, mean ${mean}`;
}

/** Return the range of dates, or the different texts, the most frequent first. */
function textsText(values: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const value of values) {
    const text = valueText(value);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  if ([...counts.keys()].every(text => DATE.test(text))) {
    const dates = [...counts.keys()].sort();
    return `${dates[0]} to ${dates[dates.length - 1]}`;
  }
  const frequent = [...counts].sort(([, a], [, b]) => b - a);
  const named = frequent.slice(0, MAX_TEXTS).map(([text]) => text);
  const more = frequent.length > MAX_TEXTS ? ', …' : '';
  return `${counts.size} different values: ${named.join(', ')}${more}`;
}

function isMissing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

export type Fields = Readonly<Record<string, unknown>>;

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

export function titleOf(element: unknown): string {
  const { title } = fieldsOf(element);
  const text = fieldsOf(title).text ?? title;
  return typeof text === 'string' ? valueText(text) : '';
}

/** Return ` “name”`; empty without a name. */
export function quoted(name: unknown): string {
  return typeof name === 'string' && name ? ` “${valueText(name)}”` : '';
}
