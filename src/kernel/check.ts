/**
 * Checks code against the state of a Python kernel, without running it.
 *
 * The check itself is `aiserver/kernel/check.py`. The invariants of `request.ts` apply. The result
 * from the kernel isn't trusted, because it contains names from the person's data: each problem in
 * it is validated.
 */
import type { Kernel } from '@jupyterlab/services';

import { callInKernel } from './request';

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
}

/**
 * Return at most 20 problems of the code, in the order of their positions. With `request`, code
 * that the request didn't ask to change counts as a problem.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function checkCode(
  kernel: Kernel.IKernelConnection,
  code: string,
  request?: ICheckedRequest
): Promise<IProblem[]> {
  const { CHECK } = await import('./checkCode');
  const importExpression = (name: string) => `__import__("${name}")`;
  const textExpression = (text: string) =>
    `${importExpression('base64')}.b64decode("${toBase64(text)}").decode()`;
  const more = request
    ? `, original=${textExpression(request.source)}, mode=${textExpression(request.mode)}`
    : '';
  const problemsExpression = `${importExpression('json')}.dumps(check(${textExpression(code)}, variables${more}))`;
  const call = `${importExpression('base64')}.b64encode(${problemsExpression}.encode()).decode()`;
  const result = await callInKernel(kernel, CHECK, call);
  if (!Array.isArray(result)) {
    throw new Error('The kernel sent no list of problems.');
  }
  return result.flatMap(toProblems);
}

/** Encode text as base64, in which no character needs escaping in Python. */
function toBase64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

/** Return the problem that `value` describes, as a list; an empty list if `value` is invalid. */
function toProblems(value: unknown): IProblem[] {
  const problem = (value ?? {}) as Record<string, unknown>;
  const { line, column, kind, name, message, candidates } = problem;
  const { end_line: endLine, end_column: endColumn } = problem;
  const positions = [line, column, endLine, endColumn];
  const texts = [kind, name, message];
  if (
    !positions.every(Number.isInteger) ||
    !texts.every(text => typeof text === 'string') ||
    !Array.isArray(candidates)
  ) {
    return [];
  }
  const isText = (text: unknown) => typeof text === 'string';
  return [
    {
      ...({
        line,
        column,
        endLine,
        endColumn,
        kind,
        name,
        message
      } as IProblem),
      candidates: candidates.filter(isText),
      ...(isText(problem.correction) && {
        correction: problem.correction as string
      }),
      ...(isText(problem.package) && { package: problem.package as string }),
      ...(isText(problem.import) && { import: problem.import as string })
    }
  ];
}
