/**
 * Lists the variables of the kernel, and the names and dtypes of its DataFrames' columns.
 *
 * The invariants of `request.ts`, of `aiserver/kernel/variables.py` and of `aiserver/kernel/r/` apply. They ensure the
 * promises P15 and P18 in `docs/promises.md`. The result from the kernel isn't trusted: each
 * variable in it is validated.
 */
import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  DataLanguage,
  KernelBusyError,
  callFunction,
  dataLanguage
} from './request';
import type { DataFrameProfile } from '../api/types';

/** A variable that isn't a DataFrame. */
export interface IVariable {
  readonly name: string;
  /** The variable's class, and its size if the size is known; no values. */
  readonly kind: string;
  /** The variable's value as text, if its class is supported. Only a mention contains it. */
  readonly value?: string;
}

/** The variables of a kernel, the newest first. */
export interface IKernelVariables {
  readonly frames: DataFrameProfile[];
  readonly variables: IVariable[];
  /** The kernel's language, on which the characters of names depend; Python if it is missing. */
  readonly language?: DataLanguage;
}

/**
 * Read the variables of a kernel.
 *
 * `examples` is the maximum number of values to read from each column, and from each level of an
 * index. Only texts are read. `hasValues` means that the values of other variables are read, too.
 * Without both, no values are read.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readVariables(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  examples = 0,
  hasValues = false
): Promise<IKernelVariables> {
  const result = (await callFunction(
    kernel,
    language,
    async () => (await import('./variablesCode')).VARIABLES,
    'describe',
    examples,
    hasValues
  )) as Record<string, unknown> | null;
  return {
    language,
    frames: listOf(result?.frames).filter(isProfile),
    variables: listOf(result?.variables).filter(isVariable)
  };
}

/**
 * List the DataFrames of a kernel, the newest variable first.
 *
 * @throws Error with a sentence for the person.
 */
export async function listDataFrames(
  kernel: Kernel.IKernelConnection | null | undefined,
  languageName: string,
  trans: TranslationBundle
): Promise<DataFrameProfile[]> {
  const language = dataLanguage(languageName);
  if (!language) {
    throw new Error(
      trans.__('DataFrames can only be listed in Python and R notebooks.')
    );
  }
  if (!kernel) {
    throw new Error(
      trans.__(
        'No kernel is running. First run a cell that creates a DataFrame.'
      )
    );
  }
  try {
    return (await readVariables(kernel, language)).frames;
  } catch (reason) {
    // Don't show the kernel's own error message, because it isn't translated.
    throw new Error(
      reason instanceof KernelBusyError
        ? trans.__(
            'The kernel is busy. Try again when the running cell has finished.'
          )
        : trans.__(
            'The kernel could not list its DataFrames. Try again, or restart the kernel.'
          )
    );
  }
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) {
    throw new Error('The kernel sent no list of variables.');
  }
  return value;
}

function isVariable(value: unknown): value is IVariable {
  const variable = value as IVariable;
  return (
    typeof variable?.name === 'string' &&
    typeof variable.kind === 'string' &&
    ['undefined', 'string'].includes(typeof variable.value)
  );
}

function isProfile(value: unknown): value is DataFrameProfile {
  const profile = value as DataFrameProfile;
  return (
    typeof profile?.name === 'string' &&
    Number.isInteger(profile.rowCount) &&
    Number.isInteger(profile.columnCount) &&
    Array.isArray(profile.columns)
  );
}
