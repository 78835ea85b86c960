/**
 * Finds columns by which tables in the kernel can be joined. Their values are compared in the kernel
 * (`aiserver/kernel/profiling/joins.py`), which returns names and shares only. The invariants of
 * `request.ts` apply, and the result isn't trusted.
 */
import type { Kernel } from '@jupyterlab/services';

import { callInKernel } from './request';

/** Two columns by which two tables can be joined. */
export interface IJoinKey {
  readonly left: string;
  readonly leftColumn: string;
  readonly right: string;
  readonly rightColumn: string;
  /**
   * The share of the values of one column that occur in the other, from 0 to 1; null if there are
   * too many values to compare.
   */
  readonly share: number | null;
}

/**
 * Return the most likely keys first; empty if the tables have none.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readJoinKeys(
  kernel: Kernel.IKernelConnection,
  names: readonly string[]
): Promise<IJoinKey[]> {
  const { PROFILE } = await import('./profileCode');
  // A list of string literals of JSON is one of Python, too.
  const call = `join_keys(variables, ${JSON.stringify(names)})`;
  const result = (await callInKernel(kernel, PROFILE, call)) as {
    keys?: unknown;
  } | null;
  return Array.isArray(result?.keys) ? result.keys.filter(isJoinKey) : [];
}

function isJoinKey(value: unknown): value is IJoinKey {
  const key = value as Record<keyof IJoinKey, unknown> | null;
  const names = [key?.left, key?.leftColumn, key?.right, key?.rightColumn];
  const isShare = typeof key?.share === 'number' || key?.share === null;
  return isShare && names.every(name => typeof name === 'string' && name);
}
