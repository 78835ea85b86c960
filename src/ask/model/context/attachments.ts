/**
 * The kernel's DataFrames and variables in a request: attached automatically, or chosen again from
 * an earlier one.
 *
 * Invariants (P15): the row shows them before the request is sent. Only names come from an earlier
 * request: columns are read from the kernel, with the default privacy levels.
 */
import type { DataFrameProfile } from '../../../api/types';
import type { IKernelVariables, IVariable } from '../../../kernel/variables';

/** Automatically attached DataFrames; a person can choose more. */
const MAX_ATTACHED = 5;
const MAX_VARIABLES = 30;

const DATA_KIND =
  /^(numpy\.ndarray|(pandas|polars)\.\w+|matrix|(list|dict|set|tuple|numeric|character|factor) of) /;
const DATA_FILE =
  /[^\s'"]\.(csv|tsv|parquet|pq|xlsx?|xlsm|jsonl?|ndjson|sqlite3?|db|duckdb)(?![A-Za-z0-9_])/i;

/** The DataFrames that the texts (intent, cell, cell above) mention, or an only one. */
export function namedFrames(
  kernel: IKernelVariables,
  texts: readonly string[]
): DataFrameProfile[] {
  const { frames } = kernel;
  const named = frames.filter(({ name }) =>
    texts.some(text => mentions(text, name, kernel))
  );
  if (!named.length && frames.length === 1) {
    return isAboutOtherData(texts[0], kernel) ? [] : [...frames];
  }
  return named.slice(0, MAX_ATTACHED);
}

/** Return whether an intent names a data file or variable. “a” may be a mere word. */
function isAboutOtherData(intent: string, kernel: IKernelVariables): boolean {
  return (
    DATA_FILE.test(intent) ||
    kernel.variables.some(
      ({ name, kind }) =>
        DATA_KIND.test(kind) &&
        !/^\w{1,2}$/.test(name) &&
        mentions(intent, name, kernel)
    )
  );
}

/** The mentioned variables, then the newest, without modules and values. */
export function relevantVariables(
  kernel: IKernelVariables,
  texts: readonly string[]
): IVariable[] {
  const listed = kernel.variables.filter(({ kind }) => kind !== 'module');
  const isNamed = ({ name }: IVariable) =>
    texts.some(text => mentions(text, name, kernel));
  const named = listed.filter(isNamed);
  const others = listed.filter(variable => !isNamed(variable));
  return [...named, ...others]
    .slice(0, MAX_VARIABLES)
    .map(({ name, kind }) => ({ name, kind }));
}

export function mentions(
  text: string,
  name: string,
  kernel: IKernelVariables
): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (isNameAt(text, at, name, kernel)) {
      return true;
    }
  }
  return false;
}

/**
 * Return whether the name of a DataFrame or variable is a whole word at an offset. Chinese has no
 * spaces, so only ASCII letters, digits or underscores extend an ASCII name. In R, `train` isn't a
 * word in `train.data`, except in the mention of its column, `@train.price`.
 */
export function isNameAt(
  text: string,
  at: number,
  name: string,
  { frames, variables, language }: IKernelVariables
): boolean {
  const before = text[at - 1] ?? '';
  const after = text.slice(at + name.length);
  const isAscii = /^[\w.]+$/.test(name);
  if (isAscii && (/\w/.test(before) || /^\w/.test(after))) {
    return false;
  }
  if (language !== 'r') {
    return true;
  }
  const isInLonger = [...frames, ...variables].some(
    longer =>
      longer.name.startsWith(`${name}.`) &&
      text.startsWith(longer.name, at) &&
      !/^\w/.test(text.slice(at + longer.name.length))
  );
  const isColumn = before === '@' && frames.some(frame => frame.name === name);
  return !isInLonger && before !== '.' && (isColumn || !/^\.+\w/.test(after));
}

export interface IMissingFrames {
  readonly names: readonly string[];
  /** Why the kernel's DataFrames couldn't be listed; empty if they were. */
  readonly reason: string;
}

interface IFrames {
  readonly dataframes: readonly DataFrameProfile[];
  readonly missingFrames: IMissingFrames | null;
}

/** The limit of the HTTP API. */
export const MAX_CHOSEN = 20;

/** As in `aiserver/kernel/variables.py`. */
const MAX_LISTED = 50;

/**
 * Return the state change after DataFrames were listed: chosen ones that the kernel no longer has
 * become missing, and missing ones that it has now become chosen.
 */
export function withCurrentFrames(
  { dataframes, missingFrames }: IFrames,
  frames: readonly DataFrameProfile[]
): IFrames {
  const current = new Map(frames.map(frame => [frame.name, frame]));
  const isRemoved = ({ name }: DataFrameProfile) =>
    frames.length < MAX_LISTED && !current.has(name);
  const chosen = dataframes
    .filter(frame => !isRemoved(frame))
    .map(frame => current.get(frame.name) ?? frame);
  const removed = dataframes.filter(isRemoved).map(({ name }) => name);
  const names = [...new Set([...(missingFrames?.names ?? []), ...removed])];
  const missing = names.filter(name => !current.has(name));
  const isChosen = (name: string) => chosen.some(frame => frame.name === name);
  const added = names.filter(name => current.has(name) && !isChosen(name));
  return {
    dataframes: [...chosen, ...added.map(name => current.get(name)!)].slice(
      -MAX_CHOSEN
    ),
    missingFrames: missing.length ? { names: missing, reason: '' } : null
  };
}
