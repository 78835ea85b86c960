/**
 * Chooses the kernel's DataFrames that a request attaches by itself.
 *
 * Invariant (P15): the prompt row shows each of them before the request is sent.
 */
import type { DataFrameProfile } from '../../api/types';
import type { IVariable } from '../../kernel/variables';

/** The maximum of one request, so that others can still be chosen by hand. */
const MAX_ATTACHED = 5;
const MAX_VARIABLES = 30;

/**
 * The DataFrames that the texts name: the intent, the cell's code and the code of the cell above it.
 * If they name none and the kernel has only one DataFrame, it is attached.
 */
export function namedFrames(
  frames: readonly DataFrameProfile[],
  texts: readonly string[]
): DataFrameProfile[] {
  const named = frames.filter(({ name }) =>
    texts.some(text => mentions(text, name))
  );
  const chosen = named.length || frames.length !== 1 ? named : frames;
  return chosen.slice(0, MAX_ATTACHED);
}

/** The variables to describe: first those that the texts name, then the newest ones. */
export function relevantVariables(
  variables: readonly IVariable[],
  texts: readonly string[]
): IVariable[] {
  const listed = variables.filter(({ kind }) => kind !== 'module');
  const isNamed = ({ name }: IVariable) =>
    texts.some(text => mentions(text, name));
  const named = listed.filter(isNamed);
  const others = listed.filter(variable => !isNamed(variable));
  return [...named, ...others].slice(0, MAX_VARIABLES);
}

/**
 * Whether a text contains a name as a whole word. Chinese text has no spaces around words, so only
 * letters, digits and underscores of ASCII continue a name in ASCII, and nothing continues others.
 */
export function mentions(text: string, name: string): boolean {
  const isAscii = /^\w+$/.test(name);
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const around = (text[at - 1] ?? '') + (text[at + name.length] ?? '');
    if (!isAscii || !/\w/.test(around)) {
      return true;
    }
  }
  return false;
}
