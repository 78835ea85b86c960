/**
 * Finds columns by which tables in the kernel can be joined. The kernel
 * (`aiserver/kernel/profiling/joins.py`) compares their values, and returns names and shares only.
 * The invariants of `request.ts` apply.
 */
import type { Kernel } from '@jupyterlab/services';

import { callFunction } from './request';
import { type Infer, finite, listOf, or, record, text } from './shape';

const KEY = record({
  left: text,
  leftColumn: text,
  right: text,
  rightColumn: text,
  /**
   * The share of one column's values that occur in the other, from 0 to 1; null if there are too
   * many to compare.
   */
  share: or(finite, null)
});
const KEYS = record({ keys: listOf(KEY) });

export type IJoinKey = Infer<typeof KEY>;

/**
 * Return the most likely keys first; empty if there are none.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readJoinKeys(
  kernel: Kernel.IKernelConnection,
  names: readonly string[]
): Promise<IJoinKey[]> {
  const result = await callFunction(
    kernel,
    'python',
    async () => (await import('./profileCode')).PROFILE,
    'join_keys',
    names
  );
  return KEYS(result)?.keys ?? [];
}
