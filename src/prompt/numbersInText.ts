/**
 * Compares the numbers in a model's text with those of the result that it describes. A number is
 * supported by one that rounds to it; “31 %” also by 0.3123. Signs don't count: “fell by 3”.
 */

export interface INumberInText {
  readonly start: number;
  readonly end: number;
  readonly value: number;
  /** Half of a unit of the last digit: the largest error of rounding. */
  readonly tolerance: number;
  readonly isPercentage: boolean;
}

/** Integers up to this one aren't compared: “two groups”, “the first 5 rows”. */
const MAX_UNCHECKED = 10;

const DIGITS = /\p{Nd}/u;
const NUMBER =
  /(?<![\p{Script=Latin}\p{Nd}_.,])(?:\p{Nd}{1,3}(?:[,，\u00a0\u202f]\p{Nd}{3})+|\p{Nd}+)(?:[.．]\p{Nd}+)?(?:[eE][+-]?\p{Nd}+)?(?:\s?[万萬亿億])?(?:\s?[%％])?/gu;
const FACTORS: Record<string, number> = { 万: 1e4, 萬: 1e4, 亿: 1e8, 億: 1e8 };

export function numbersInText(text: string): INumberInText[] {
  return [...text.matchAll(NUMBER)].map(match => {
    const [raw] = match;
    const ascii = asciiDigits(raw);
    const [, integer, decimals = '', exponent = '0'] =
      /^([\d,\u00a0\u202f]+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?/.exec(ascii)!;
    const factor = FACTORS[/[万萬亿億]/.exec(raw)?.[0] ?? ''] ?? 1;
    const unit = 10 ** (Number(exponent) - decimals.length) * factor;
    const digits = integer.replace(/\D/g, '') + decimals;
    return {
      start: match.index,
      end: match.index + raw.length,
      value: Number(digits) * unit,
      tolerance: unit / 2,
      isPercentage: /[%％]$/.test(raw)
    };
  });
}

/** Return the numbers of a text that a result doesn't support. */
export function unsupportedNumbers(
  text: string,
  result: string
): INumberInText[] {
  const values = numbersInText(result).map(number => number.value);
  return numbersInText(text).filter(number => {
    const { value, isPercentage } = number;
    if (Number.isInteger(value) && value <= MAX_UNCHECKED && !isPercentage) {
      return false;
    }
    return !values.some(
      other =>
        isRoundedTo(other, number) ||
        (isPercentage && isRoundedTo(other * 100, number))
    );
  });
}

/** As the text writes them, each once. */
export function unsupportedTexts(text: string, result: string): string[] {
  const numbers = unsupportedNumbers(text, result);
  return [...new Set(numbers.map(({ start, end }) => text.slice(start, end)))];
}

function isRoundedTo(
  value: number,
  { value: rounded, tolerance }: INumberInText
): boolean {
  // The result may be rounded itself, so the last digit may differ by less than a unit.
  return Math.abs(value - rounded) <= tolerance * (1 + 1e-9) + rounded * 1e-12;
}

/** Digits of all scripts, and full-width signs, as ASCII. */
function asciiDigits(text: string): string {
  return text
    .replace(/\p{Nd}/gu, digit => String(digitOf(digit)))
    .replaceAll('，', ',')
    .replaceAll('．', '.');
}

/** In each script, the digits 0 to 9 follow each other. */
function digitOf(character: string): number {
  let code = character.codePointAt(0)!;
  let digit = 0;
  while (digit < 9 && DIGITS.test(String.fromCodePoint(code - 1))) {
    code -= 1;
    digit += 1;
  }
  return digit;
}
