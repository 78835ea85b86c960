/**
 * Chooses the kernel's DataFrames and variables that are attached to a request automatically.
 *
 * Invariant (P15): the prompt row shows each of these DataFrames before the request is sent.
 */
import type { DataFrameProfile } from '../../api/types';
import type { IVariable } from '../../kernel/variables';

/** The maximum number of DataFrames that are attached. A person can choose others by hand. */
const MAX_ATTACHED = 5;
const MAX_VARIABLES = 30;

/**
 * Return the DataFrames that the texts (the intent, the cell's code and the code of the cell above
 * it) mention. If they mention none and the kernel has only one DataFrame, return that one.
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

/** Return the variables to describe: those that the texts mention, then the newest others. */
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
 * Whether a text contains a name as a whole word. Chinese has no spaces between words. So a name in
 * ASCII is a whole word unless an ASCII letter, digit or underscore is next to it. Any other name
 * always counts as a whole word.
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
