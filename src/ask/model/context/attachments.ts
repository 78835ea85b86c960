/**
 * Chooses the kernel's DataFrames and variables that are attached to a request automatically.
 *
 * Invariant (P15): the prompt row shows each of these DataFrames before the request is sent.
 */
import type { DataFrameProfile } from '../../../api/types';
import type { IKernelVariables, IVariable } from '../../../kernel/variables';

/** The maximum number of DataFrames that are attached automatically. A person can choose more. */
const MAX_ATTACHED = 5;
const MAX_VARIABLES = 30;

/** Matches the `kind` of a variable that contains data, in Python or R. */
const DATA_KIND =
  /^(numpy\.ndarray|(pandas|polars)\.\w+|matrix|(list|dict|set|tuple|numeric|character|factor) of) /;
/** Matches the end of a data file's name. The page doesn't check whether the file exists. */
const DATA_FILE =
  /[^\s'"]\.(csv|tsv|parquet|pq|xlsx?|xlsm|jsonl?|ndjson|sqlite3?|db|duckdb)(?![A-Za-z0-9_])/i;

/**
 * Return at most `MAX_ATTACHED` DataFrames that the texts mention. The texts are the intent, the
 * cell's code, and the code of the nearest code cell above. If the texts mention no DataFrame and
 * the kernel has only one, return this DataFrame, unless the intent is about other data.
 */
export function namedFrames(
  { frames, variables }: IKernelVariables,
  texts: readonly string[]
): DataFrameProfile[] {
  const named = frames.filter(({ name }) =>
    texts.some(text => mentions(text, name))
  );
  if (!named.length && frames.length === 1) {
    return isAboutOtherData(texts[0], variables) ? [] : [...frames];
  }
  return named.slice(0, MAX_ATTACHED);
}

/**
 * Return whether an intent names a data file, or a variable whose data is not a DataFrame. A
 * variable's name with one or two letters doesn't count, because it may be a word, such as “a”.
 */
function isAboutOtherData(
  intent: string,
  variables: readonly IVariable[]
): boolean {
  return (
    DATA_FILE.test(intent) ||
    variables.some(
      ({ name, kind }) =>
        DATA_KIND.test(kind) &&
        !/^\w{1,2}$/.test(name) &&
        mentions(intent, name)
    )
  );
}

/**
 * Return at most `MAX_VARIABLES` variables, without modules and values: first those that the texts
 * mention, then the newest of the other variables. `variables` is sorted, the newest first.
 */
export function relevantVariables(
  variables: readonly IVariable[],
  texts: readonly string[]
): IVariable[] {
  const listed = variables.filter(({ kind }) => kind !== 'module');
  const isNamed = ({ name }: IVariable) =>
    texts.some(text => mentions(text, name));
  const named = listed.filter(isNamed);
  const others = listed.filter(variable => !isNamed(variable));
  return [...named, ...others]
    .slice(0, MAX_VARIABLES)
    .map(({ name, kind }) => ({ name, kind }));
}

/**
 * Return whether a text contains a name as a whole word. Because Chinese has no spaces between
 * words, a name in ASCII is a whole word unless an ASCII letter, digit or underscore is next to it.
 * A name that isn't ASCII always counts as a whole word.
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
