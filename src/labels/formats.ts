/** Formats numbers in the interface's language: 1234 is "1,234" in English. */
import type { ITranslator, TranslationBundle } from '@jupyterlab/translation';

export function countText(count: number, trans: TranslationBundle): string {
  return count.toLocaleString(localeOf(trans));
}

/** Such as "zh-CN". */
export function localeOf(trans: TranslationBundle): string {
  // JupyterLab's bundles have this method, but not their type.
  const { getLocale } = trans as { getLocale?: () => string };
  return getLocale?.call(trans) ?? 'en';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** With up to two units: "0.31 s", "1 min 5 s". */
export function durationText(ms: number, trans: TranslationBundle): string {
  // From 99.5 ms on, the text would be "100 ms". It is shown in seconds: "0.1 s".
  if (ms < 99.5) {
    return trans.__('%1 ms', Math.round(ms));
  }
  const digits = ms < SECOND ? 2 : 1;
  const exact = Number((ms / SECOND).toFixed(digits));
  if (exact < 60) {
    return trans.__('%1 s', countText(exact, trans));
  }
  const seconds = Math.round(ms / SECOND);
  // Round to the smaller one of the two shown units.
  const unit = seconds < 3600 ? SECOND : ms < DAY - MINUTE / 2 ? MINUTE : HOUR;
  const rounded = Math.round(ms / unit) * unit;
  const [large, small] =
    rounded < HOUR
      ? [MINUTE, SECOND]
      : rounded < DAY
        ? [HOUR, MINUTE]
        : [DAY, HOUR];
  const remainder = rounded % large;
  return [rounded - remainder, remainder]
    .filter(duration => duration >= small)
    .map(duration => roughDuration(duration, trans))
    .join(' ');
}

export function roughDuration(ms: number, trans: TranslationBundle): string {
  if (ms < MINUTE) {
    return trans.__('%1 s', Math.floor(ms / SECOND));
  }
  if (ms < HOUR) {
    return trans.__('%1 min', Math.floor(ms / MINUTE));
  }
  if (ms < DAY) {
    return trans.__('%1 h', Math.floor(ms / HOUR));
  }
  return trans._n('%1 day', '%1 days', Math.floor(ms / DAY));
}

/** The locale of times and numbers: the interface's language, as the browser prefers it. */
export function localeFor({ languageCode }: ITranslator): string {
  return pickLocale(languageCode ?? 'en', navigator.languages ?? []);
}

export function pickLocale(
  language: string,
  preferred: readonly string[]
): string {
  const tag = language.replace('_', '-');
  const withoutRegion = (name: string) => name.split('-')[0].toLowerCase();
  const variant = preferred.find(
    name => withoutRegion(name) === withoutRegion(tag)
  );
  return tag.includes('-') ? tag : (variant ?? tag);
}
