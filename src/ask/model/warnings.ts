/** Lets a suggestion assign to another name than that of a DataFrame in the kernel. */
import type { IWarning } from '../../kernel/check';
import { offsetOf } from './problems';

const NAME_CHARACTER = /^[\p{L}\p{N}\p{M}_]/u;

/**
 * Return the code in which the result of an assignment and its later uses have the other name that
 * the warning offers; null if it offers none, or if the code was changed since it was checked.
 */
export function withOtherName(
  code: string,
  { name, otherName, uses }: IWarning
): string | null {
  const offsets = uses.map(([line, column]) => offsetOf(code, line, column));
  const isCurrent = offsets.every(
    offset =>
      code.startsWith(name, offset) &&
      !NAME_CHARACTER.test(code.slice(offset + name.length))
  );
  if (!otherName || !offsets.length || !isCurrent) {
    return null;
  }
  let renamed = code;
  for (const offset of [...offsets].sort((a, b) => b - a)) {
    renamed =
      renamed.slice(0, offset) +
      otherName +
      renamed.slice(offset + name.length);
  }
  return renamed;
}
