/**
 * Runs one of our Python modules or our R code in a kernel.
 *
 * Invariants (for the promise P18):
 * - A request leaves no trace in the kernel: no variable, no execution count, and no entry in the
 *   history.
 * - If the kernel is busy with other code, the request fails at once.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';

const TIMEOUT_MS = 5000;

/** As in `aiserver/kernel/bundle.py`. */
const R_MARK = '# AI Server reads variables\n';
/** As in `aiserver/kernel/r/call.R`. */
const R_RESULT = 'application/vnd.aiserver.result';

/** The kernel is busy, or didn't reply in time. */
export class KernelBusyError extends Error {}

/** A language whose kernels can list their variables. */
export type DataLanguage = 'python' | 'r';

export function dataLanguage(name: string): DataLanguage | null {
  const language = name.toLowerCase();
  return language === 'python' || language === 'r' ? language : null;
}

/**
 * Return whether the person's code begins to run. R's kernel sends `execute_input` for silent
 * requests, too, and our own ones aren't runs.
 */
export function isRun({ header, content }: KernelMessage.IMessage): boolean {
  return (
    header.msg_type === 'execute_input' &&
    !(content as { code?: string }).code?.startsWith(R_MARK)
  );
}

/**
 * Resolves when a kernel's last request of ours has ended. The next one waits for it, because our
 * requests make the kernel busy, too.
 */
const lastRequests = new WeakMap<Kernel.IKernelConnection, Promise<void>>();

type Argument = string | number | boolean | readonly string[];

/**
 * Call one of our functions in the kernel with the person's variables and `args`, and return its
 * result, which it encodes as base64 of JSON.
 *
 * `loadPython` returns the source of the function's Python module. All functions for R are in
 * `rCode.ts`. The call assigns nothing in the person's namespace, and works even if the person has
 * redefined builtins.
 *
 * @throws KernelBusyError; Error if the kernel died or its reply is invalid.
 */
export async function callFunction(
  kernel: Kernel.IKernelConnection,
  language: DataLanguage,
  loadPython: () => string | Promise<string>,
  name: string,
  ...args: Argument[]
): Promise<unknown> {
  const literals = args.map(language === 'r' ? rLiteral : pythonLiteral);
  const call = `${name}(${['variables', ...literals].join(', ')})`;
  if (language === 'python') {
    const module = await loadPython();
    return inTurn(kernel, () => evaluateCall(kernel, module, call));
  }
  const { R } = await import('./rCode');
  const code = R.replace('__CALL__', () => call);
  return inTurn(kernel, () => evaluateInR(kernel, code));
}

/** Without lone surrogates: in R, they are a syntax error. */
function jsonLiteral(value: Argument): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(/\p{Surrogate}/gu, '?') : part
  );
}

/** All literals of JSON are literals of Python, except these two. */
function pythonLiteral(value: Argument): string {
  return jsonLiteral(value).replace(/^(true|false)$/, word =>
    word === 'true' ? 'True' : 'False'
  );
}

/** R parses only ASCII correctly in all locales. */
function rLiteral(value: Argument): string {
  return jsonLiteral(value)
    .replace(/^(true|false)$/, word => word.toUpperCase())
    .replace(/[\u0080-\uffff]/g, char => {
      const code = char.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${code}`;
    });
}

function inTurn<T>(
  kernel: Kernel.IKernelConnection,
  request: () => Promise<T>
): Promise<T> {
  const last = lastRequests.get(kernel) ?? Promise.resolve();
  const result = last.then(request);
  // When a request ends, the connection first resolves its promise, and later in the same task sets
  // its status to idle. The next request reads this status, so it begins in a new task.
  const nextTask = () => new Promise<void>(resolve => setTimeout(resolve));
  lastRequests.set(kernel, result.then(nextTask, nextTask));
  return result;
}

async function evaluateCall(
  kernel: Kernel.IKernelConnection,
  module: string,
  call: string
): Promise<unknown> {
  const expression =
    '(lambda space: (__import__("builtins").exec(' +
    JSON.stringify(module) +
    `, space), __import__("builtins").eval(${JSON.stringify(call)}, space))[1])` +
    '({"__name__": "aiserver", "variables": (lambda: 0).__globals__})';
  const reply = await execute(kernel, {
    code: '',
    user_expressions: { result: expression }
  });
  const { result } = (reply.content as { user_expressions?: unknown })
    .user_expressions as {
    result: { status?: string; data?: Record<string, unknown> };
  };
  const plain = result.data?.['text/plain'];
  return decode(
    result.status === 'ok' && typeof plain === 'string'
      ? plain.slice(1, -1)
      : null
  );
}

async function evaluateInR(
  kernel: Kernel.IKernelConnection,
  code: string
): Promise<unknown> {
  let result: unknown;
  await execute(kernel, { code }, ({ header, content }) => {
    if (header.msg_type === 'display_data') {
      const { data } = content as { data?: Record<string, unknown> };
      result = data?.[R_RESULT] ?? result;
    }
  });
  return decode(result);
}

/** Send a silent request, and wait for its end. Throws KernelBusyError if that takes too long. */
async function execute(
  kernel: Kernel.IKernelConnection,
  content: Pick<
    KernelMessage.IExecuteRequestMsg['content'],
    'code' | 'user_expressions'
  >,
  onOutput?: (message: KernelMessage.IIOPubMessage) => void
): Promise<KernelMessage.IExecuteReplyMsg> {
  if (kernel.status === 'busy') {
    throw new KernelBusyError();
  }
  const future = kernel.requestExecute(
    {
      ...content,
      silent: true,
      store_history: false,
      allow_stdin: false,
      stop_on_error: false
    },
    true
  );
  if (onOutput) {
    future.onIOPub = onOutput;
  }
  let timer = 0;
  const timeout = new Promise<null>(resolve => {
    timer = window.setTimeout(() => resolve(null), TIMEOUT_MS);
  });
  try {
    const reply = await Promise.race([future.done, timeout]);
    if (!reply) {
      throw new KernelBusyError();
    }
    return reply as KernelMessage.IExecuteReplyMsg;
  } finally {
    window.clearTimeout(timer);
    future.dispose();
  }
}

function decode(value: unknown): unknown {
  if (typeof value !== 'string') {
    throw new Error('The kernel could not evaluate the expression.');
  }
  const bytes = Uint8Array.from(atob(value), char => char.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
}
