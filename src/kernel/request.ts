/**
 * Runs one of our Python modules in a kernel.
 *
 * Invariants (they ensure the promise P18 in `docs/promises.md`):
 * - A request leaves no trace in the kernel: no variable, no execution count, and no entry in the
 *   kernel's history.
 * - If the kernel is busy with other code, the request fails at once.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';

const TIMEOUT_MS = 5000;

/** The kernel is busy, or didn't reply in time. */
export class KernelBusyError extends Error {}

/**
 * For each kernel, a promise that resolves when our last request has ended. The next request waits
 * for it, because our requests make the kernel busy, too.
 */
const lastRequests = new WeakMap<Kernel.IKernelConnection, Promise<void>>();

/**
 * Run the source of a Python module in the kernel, call one of its functions, and return the
 * result. The function must encode the result as base64 of JSON.
 *
 * `call` is a Python expression, in which `variables` is the dictionary of the person's variables.
 * Evaluating `call` assigns nothing in the person's namespace, and works even if the person has
 * redefined builtins.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export function callInKernel(
  kernel: Kernel.IKernelConnection,
  module: string,
  call: string
): Promise<unknown> {
  const last = lastRequests.get(kernel) ?? Promise.resolve();
  const result = last.then(() => evaluateCall(kernel, module, call));
  // When a request ends, the connection first resolves the request's promise, and afterwards, in
  // the same task, sets its status to idle. The next request reads this status, so it must begin in
  // a new task.
  const nextTask = () => new Promise<void>(resolve => setTimeout(resolve));
  lastRequests.set(kernel, result.then(nextTask, nextTask));
  return result;
}

async function evaluateCall(
  kernel: Kernel.IKernelConnection,
  module: string,
  call: string
): Promise<unknown> {
  if (kernel.status === 'busy') {
    throw new KernelBusyError();
  }
  const expression =
    '(lambda space: (__import__("builtins").exec(' +
    JSON.stringify(module) +
    `, space), __import__("builtins").eval(${JSON.stringify(call)}, space))[1])` +
    '({"__name__": "aiserver", "variables": (lambda: 0).__globals__})';
  const reply = await request(kernel, expression);
  if (!reply) {
    throw new KernelBusyError();
  }
  return decode(
    (reply.content as { user_expressions?: unknown }).user_expressions
  );
}

/** Evaluate a Python expression; return null if the kernel doesn't reply in time. */
async function request(
  kernel: Kernel.IKernelConnection,
  expression: string
): Promise<KernelMessage.IExecuteReplyMsg | null> {
  const future = kernel.requestExecute(
    {
      code: '',
      silent: true,
      store_history: false,
      user_expressions: { result: expression },
      allow_stdin: false,
      stop_on_error: false
    },
    true
  );
  let timer = 0;
  const timeout = new Promise<null>(resolve => {
    timer = window.setTimeout(() => resolve(null), TIMEOUT_MS);
  });
  try {
    const reply = await Promise.race([future.done, timeout]);
    return reply as KernelMessage.IExecuteReplyMsg | null;
  } finally {
    window.clearTimeout(timer);
    future.dispose();
  }
}

/** Decode the value of the expression. Throws an error if the value isn't base64 of JSON. */
function decode(expressions: unknown): unknown {
  const { result } = expressions as {
    result: { status?: string; data?: Record<string, unknown> };
  };
  const plain = result.data?.['text/plain'];
  if (result.status !== 'ok' || typeof plain !== 'string') {
    throw new Error('The kernel could not evaluate the expression.');
  }
  const bytes = Uint8Array.from(atob(plain.slice(1, -1)), char =>
    char.charCodeAt(0)
  );
  return JSON.parse(new TextDecoder().decode(bytes));
}
