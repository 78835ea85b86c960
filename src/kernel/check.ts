/**
 * Checks code against the state of a Python kernel, without running it.
 *
 * The check itself is `aiserver/kernel/check.py`. The invariants of `request.ts` apply, and invalid
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

/** The request that a suggestion answers. The check compares the suggestion with its code. */
export interface ICheckedRequest {
  /** The code that the request was about. */
  readonly source: string;
  /** The mode of the request, such as `document`. */
  readonly mode: string;
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
    /** The name that is wrong; empty for a syntax error. */
    name: text,
    /** A description in English, for the model. */
    message: text,
    /** Existing names that are similar to the wrong one. */
    candidates: listOf(text)
  },
  // These are empty if there is none.
  {
    /** The candidate that the wrong name clearly stands for. */
    correction: text,
    /** The package to install for a missing module. */
    package: text,
    /** The import that defines a well-known name: `import numpy as np` for `np`. */
    import: text
  }
);
const WARNING = record({
  ...POSITION,
  kind: text,
  /** The name of the DataFrame, or the path of the file. */
  name: text,
  /** The size of the DataFrame; 0 for a file. */
  rows: count,
  width: count,
  /** The columns that are overwritten. */
  labels: listOf(text),
  /** Another name for the result; empty if there is none. */
  otherName: text,
  /** The positions at which `otherName` has to replace `name`: lines and columns. */
  uses: all(toPair) as Reader<readonly (readonly [number, number])[]>
});
const CHECK_RESULT = record({
  problems: listOf<IProblem>(PROBLEM),
  warnings: listOf<IWarning>(WARNING)
});

/**
 * A mistake in the code, which would make the code fail when it is run, or a change that the
 * request didn't ask for.
 */
export type IProblem = Infer<typeof PROBLEM> & {
  /** Whether a cell above defines the undefined name, so that running it helps. */
  readonly isDefinedAbove?: boolean;
};

/** A DataFrame of the kernel or a file that the code would overwrite; see `overwrites.py`. */
export type IWarning = Infer<typeof WARNING> & {
  /** Whether other cells of the notebook mention the DataFrame. */
  readonly isInOtherCells?: boolean;
};

/** The result of a check. No warning is a problem. */
export type ICheck = Infer<typeof CHECK_RESULT>;

/**
 * Return at most 20 problems of the code, and the warnings about it, in the order of their
 * positions. With `request`, code that the request didn't ask to change counts as a problem.
 * `ownCode` is the code of the cell that the code would replace.
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
      request?.mode ?? ''
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
