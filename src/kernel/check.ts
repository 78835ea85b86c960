/**
 * Checks code against the state of a Python kernel, without running it.
 *
 * The check itself is `aiserver/kernel/check.py`. The invariants of `request.ts` apply. Invalid
 * problems are left out.
 */
import type { Kernel } from '@jupyterlab/services';

import { callFunction } from './request';
import {
  type Infer,
  type Reader,
  all,
  count,
  listOf,
  record,
  text
} from './shape';
import { type ISignal, SIGNAL } from './signals';

/** The request with which the check compares the suggestion. */
export interface ICheckedRequest {
  /** The code that the request was about. */
  readonly source: string;
  /**
   * Such as `document`, `change` if the request asks for a change of data, or `repair` for another
   * attempt after `source`.
   */
  readonly mode: string;
  /** The person's words; empty if there are none. */
  readonly intent?: string;
}

/** Lines are counted from 1, and columns from 0, in code points. End columns are exclusive. */
const POSITION = {
  line: count,
  column: count,
  endLine: count,
  endColumn: count
};
const PROBLEM = record(
  {
    ...POSITION,
    kind: text,
    /** The wrong name; empty for a syntax error. */
    name: text,
    /** In English, for the model. */
    message: text,
    /** Existing names that are similar to the wrong one. */
    candidates: listOf(text)
  },
  // Empty if there is none.
  {
    /** The candidate that the wrong name clearly stands for. */
    correction: text,
    package: text,
    /** The import of a well-known name: `import numpy as np` for `np`. */
    import: text
  }
);
const WARNING = record({
  ...POSITION,
  kind: text,
  /** The DataFrame's name, or the file's path. */
  name: text,
  /** The DataFrame's size; 0 for a file. */
  rows: count,
  width: count,
  /** The overwritten columns. */
  labels: listOf(text),
  /** Another name for the result; empty if there is none. */
  otherName: text,
  /** The lines and columns where `otherName` has to replace `name`. */
  uses: all(toPair) as Reader<readonly (readonly [number, number])[]>
});
const CHECK_RESULT = record({
  problems: listOf<IProblem>(PROBLEM),
  warnings: listOf<IWarning>(WARNING),
  signals: listOf<ISignal>(SIGNAL)
});

/** A mistake that would make the code fail, or a change that the request didn't ask for. */
export type IProblem = Infer<typeof PROBLEM> & {
  /** Whether a cell above defines the undefined name, so that running it helps. */
  readonly isDefinedAbove?: boolean;
};

/** A DataFrame or a file that the code would overwrite; see `overwrites.py`. */
export type IWarning = Infer<typeof WARNING> & {
  readonly isInOtherCells?: boolean;
};

/** The result of a check; none of its warnings and signals is a problem. */
export type ICheck = Infer<typeof CHECK_RESULT>;

/**
 * Return at most 20 problems of the code, and the warnings and signals about it, in the order of
 * their positions. With `request`, code that it didn't ask to change is a problem. `ownCode` is the
 * cell's code, which the code would replace.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function checkSuggestion(
  kernel: Kernel.IKernelConnection,
  code: string,
  ownCode: string,
  request?: ICheckedRequest
): Promise<ICheck> {
  const result = CHECK_RESULT(
    await callFunction(
      kernel,
      'python',
      async () => (await import('./checkCode')).CHECK,
      'check_cell',
      code,
      ownCode,
      request?.source ?? '',
      request?.mode ?? '',
      request?.intent ?? ''
    )
  );
  if (!result) {
    throw new Error('The kernel sent no list of problems.');
  }
  return result;
}

function toPair(value: unknown): readonly [number, number] | undefined {
  const pair = all(count)(value);
  return pair?.length === 2 ? [pair[0], pair[1]] : undefined;
}
