/**
 * Checks code against the state of a Python kernel, without running it.
 *
 * The check itself is `aiserver/kernel/check.py`. The invariants of `request.ts` apply, and invalid
 * problems are left out.
 */
import type { Kernel } from '@jupyterlab/services';

import { callInKernel } from './request';
import { all, count, listOf, record, text } from './shape';

/** The request that a suggestion answers. The check compares the suggestion with its code. */
export interface ICheckedRequest {
  /** The code that the request was about. */
  readonly source: string;
  /** The mode of the request, such as `document`. */
  readonly mode: string;
}

/**
 * A mistake in the code, which would make the code fail when it is run, or a change that the
 * request didn't ask for.
 */
export interface IProblem {
  /** Lines are counted from 1. */
  readonly line: number;
  /** Columns are counted from 0, in code points. End columns are exclusive. */
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly kind: string;
  /** The name that is wrong; empty for a syntax error. */
  readonly name: string;
  /** A description in English, for the model. */
  readonly message: string;
  /** Existing names that are similar to the wrong one. */
  readonly candidates: readonly string[];
  /** The candidate that the wrong name clearly stands for; empty or undefined if there is none. */
  readonly correction?: string;
  /** The package to install for a missing module; empty or undefined if there is none. */
  readonly package?: string;
  /**
   * The import that defines a well-known name: `import numpy as np` for `np`. Empty or undefined
   * for any other name.
   */
  readonly import?: string;
  /** Whether a cell above defines the undefined name, so that running it helps. */
  readonly isDefinedAbove?: boolean;
}

/** A DataFrame of the kernel or a file that the code would overwrite; see `overwrites.py`. */
export interface IWarning {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly kind: string;
  /** The name of the DataFrame, or the path of the file. */
  readonly name: string;
  /** The size of the DataFrame; 0 for a file. */
  readonly rows: number;
  readonly width: number;
  /** The columns that are overwritten. */
  readonly labels: readonly string[];
  /** Another name for the result; empty if there is none. */
  readonly otherName: string;
  /** The positions at which `otherName` has to replace `name`: lines and columns. */
  readonly uses: readonly (readonly [number, number])[];
  /** Whether other cells of the notebook mention the DataFrame. */
  readonly isInOtherCells?: boolean;
}

/** The result of a check. No warning is a problem. */
export interface ICheck {
  readonly problems: readonly IProblem[];
  readonly warnings: readonly IWarning[];
}

const POSITION = {
  line: count,
  column: count,
  endLine: count,
  endColumn: count
};
const CHECK_RESULT = record<ICheck>({
  problems: listOf<IProblem>(
    record(
      {
        ...POSITION,
        kind: text,
        name: text,
        message: text,
        candidates: listOf(text)
      },
      { correction: text, package: text, import: text }
    )
  ),
  warnings: listOf<IWarning>(
    record({
      ...POSITION,
      kind: text,
      name: text,
      rows: count,
      width: count,
      labels: listOf(text),
      otherName: text,
      uses: all<readonly [number, number]>(toPair)
    })
  )
});

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
  const { CHECK } = await import('./checkCode');
  const importExpression = (name: string) => `__import__("${name}")`;
  const textExpression = (text: string) =>
    `${importExpression('base64')}.b64decode("${toBase64(text)}").decode()`;
  const more = request
    ? `, original=${textExpression(request.source)}, mode=${textExpression(request.mode)}`
    : '';
  const given = `${textExpression(code)}, variables, own_code=${textExpression(ownCode)}${more}`;
  const checkExpression = `${importExpression('json')}.dumps(check_suggestion(${given}))`;
  const call = `${importExpression('base64')}.b64encode(${checkExpression}.encode()).decode()`;
  const result = CHECK_RESULT(await callInKernel(kernel, CHECK, call));
  if (!result) {
    throw new Error('The kernel sent no list of problems.');
  }
  return result;
}

/** Encode text as base64, in which no character needs escaping in Python. */
function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

function toPair(value: unknown): readonly [number, number] | undefined {
  const pair = all(count)(value);
  return pair?.length === 2 ? [pair[0], pair[1]] : undefined;
}
