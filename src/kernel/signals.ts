/**
 * Signals that the result of a run may prove nothing, such as no rows.
 *
 * They are found by `aiserver/kernel/signals.py` after a run, and by the check before it. The
 * invariants of `request.ts` apply.
 */
import type { Kernel } from '@jupyterlab/services';

import { callFunction } from './request';
import { type Infer, count, listOf, record, text } from './shape';

export const SIGNAL = record({
  kind: text,
  /** The variable; empty for the output. */
  name: text,
  /** The columns, keys or files. */
  labels: listOf(text),
  /** Numbers of rows; 0 if they don't apply. */
  before: count,
  after: count
});
/** The kind for another attempt that uses none of the data; it has no sentence of its own. */
export const UNRELATED = 'unrelated';
const STATE_RESULT = record({ state: text });
const SIGNALS_RESULT = record({ signals: listOf<ISignal>(SIGNAL) });

/** A fact about what code makes. It is no problem, and isn't sent to a model. */
export type ISignal = Infer<typeof SIGNAL>;

/** An accepted suggestion that runs. */
export interface ICodeRun {
  readonly code: string;
  /** The code that it has replaced in the cell. */
  readonly ownCode: string;
  /** Whether the request asks for a change of data. */
  readonly isChange: boolean;
}

const OUTPUT_END = 2000;

const SIGNALS = async () => (await import('./signalsCode')).SIGNALS;

/**
 * Return the state of the variables that code names, for `readSignals`.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readState(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<string> {
  const result = STATE_RESULT(
    await callFunction(kernel, 'python', SIGNALS, 'state_before', code)
  );
  if (!result) {
    throw new Error('The kernel sent no state.');
  }
  return result.state;
}

/**
 * Return the signals of a run that has ended without an error. `state` is that before the run.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function readSignals(
  kernel: Kernel.IKernelConnection,
  { code, ownCode, isChange }: ICodeRun,
  state: string,
  output: string
): Promise<ISignal[]> {
  const result = SIGNALS_RESULT(
    await callFunction(
      kernel,
      'python',
      SIGNALS,
      'signals_after',
      code,
      state,
      output.slice(-OUTPUT_END),
      ownCode,
      isChange
    )
  );
  if (!result) {
    throw new Error('The kernel sent no list of signals.');
  }
  return result.signals;
}
