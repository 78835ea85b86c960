/**
 * Lists the variables of the kernel, and the names and dtypes of its DataFrames' columns.
 *
 * The invariants of `request.ts`, of `aiserver/kernel/variables.py` and of `aiserver/kernel/r/`
 * apply, for the promises P15 and P18.
 */
import type { Kernel } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import {
  DataLanguage,
  KernelBusyError,
  callFunction,
  dataLanguage
} from './request';
import { type Infer, count, listOf, record, text } from './shape';
import type { DataFrameProfile } from '../api/types';

/** The kernel's variables, newest first. */
export interface IKernelVariables {
  readonly frames: DataFrameProfile[];
  readonly variables: IVariable[];
  /** Determines which characters a name can contain; Python if it is missing. */
  readonly language?: DataLanguage;
}

const COLUMN = record({ name: text, dtype: text }, { examples: listOf(text) });
const VARIABLE = record(
  {
    name: text,
    /** The variable's class, and its size if known; no values. */
    kind: text
  },
  {
    /** As text, if the class is supported. Only a mention contains it. */
    value: text
  }
);
const VARIABLES_RESULT = record({
  frames: listOf(
    record(
      {
        name: text,
        kind: text,
        rowCount: count,
        columnCount: count,
        columns: listOf(COLUMN)
      },
      { index: listOf(COLUMN) }
    )
  ),
  variables: listOf(VARIABLE)
});

export type IVariable = Infer<typeof VARIABLE>;

/**
 * `examples` is the maximum number of values to read from each text column and each text level of an
 * index. With `hasValues`, the values of other variables are read. Without both, no values are read.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readVariables(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  examples = 0,
  hasValues = false
): Promise<IKernelVariables> {
  const result = VARIABLES_RESULT(
    await callFunction(
      kernel,
      language,
      async () => (await import('./variablesCode')).VARIABLES,
      'describe',
      examples,
      hasValues
    )
  );
  if (!result) {
    throw new Error('The kernel sent no list of variables.');
  }
  return { language, ...result };
}

/**
 * Return the kernel's DataFrames, newest first.
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
    // The kernel's own error message isn't translated.
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
