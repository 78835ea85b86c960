/**
 * Asks the kernel for its DataFrames: names, shapes, column names and dtypes. No value.
 *
 * What must hold (P15, P18):
 * - It leaves no trace: no name, no prompt number, no entry in the kernel's history.
 * - Nothing of the person's runs: no `repr`, no method of a class that only looks like a
 *   DataFrame; one hostile object spoils no other.
 * - Names are data. The answer comes back as base64 of JSON and is checked piece by piece.
 * - A kernel that is busy is not waited for.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { DataFrameProfile } from '../../api/types';

const TIMEOUT_MS = 5000;

/**
 * Runs in the kernel, in a namespace of its own. The class of a variable is looked up past
 * everything that a class can redefine; of a child of the library's class the data alone is
 * taken, as a plain DataFrame, for the library itself would call what the child redefines. A dtype
 * of the person's own is named only, and so is one that spells out its categories or its fill
 * value, for those are data.
 */
const SOURCE = `
import base64, datetime, json, sys

def libraries():
    for kind in ("pandas", "polars"):
        module = sys.modules.get(kind)
        frame = getattr(module, "DataFrame", None)
        if type(frame) is type:
            yield kind + ".DataFrame", frame

mro, slots = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__
kind_name = type.__dict__["__name__"].__get__

def is_a_library_s(kind):
    module = slots(kind).get("__module__")
    if type(module) is not str or module.partition(".")[0] not in ("numpy", "pandas", "polars"):
        return False
    known = getattr(sys.modules.get(module), "__dict__", {}).get(kind_name(kind))
    return known is kind

def plain(kind, frame, value):
    if type(value) is frame:
        return value
    if kind != "pandas.DataFrame":
        return None
    state = next(slots(base)["__dict__"] for base in mro(frame) if "__dict__" in slots(base))
    manager = state.__get__(value)["_mgr"]
    return frame._from_mgr(manager, axes=manager.axes)

def plain_kinds():
    pandas = sys.modules.get("pandas")
    own = [getattr(pandas, kind, None) for kind in ("Timestamp", "Timedelta", "Period", "Interval")]
    return [str, int, float, bool, type(None), datetime.date, datetime.datetime, *own]

def text(value, limit):
    kind = type(value)
    if kind is tuple:
        parts = [repr(part) if type(part) is str else text(part, limit) for part in value]
        value = "(" + ", ".join(parts) + ")"
    else:
        known = any(kind is one for one in plain_kinds())
        value = str(value) if known else "<" + kind_name(kind) + ">"
    return value.encode("utf-8", "replace").decode()[:limit]

def dtype_name(dtype):
    name = kind_name(type(dtype))
    numpy = getattr(sys.modules.get("numpy"), "dtype", None)
    if not (is_a_library_s(type(dtype)) or any(base is numpy for base in mro(type(dtype)))):
        return name[:100]
    full = str(dtype)
    if name in ("SparseDtype", "Enum") or "Enum(" in full or "categories" in full:
        return name
    return full.encode("utf-8", "replace").decode()[:100]

def profile(name, kind, value):
    rows, width = value.shape
    names = list(value.columns[:200])
    types = list(value.dtypes)[:200]
    return {
        "name": name,
        "kind": kind,
        "rowCount": int(rows),
        "columnCount": int(width),
        "columns": [
            {"name": text(one, 200), "dtype": dtype_name(two)} for one, two in zip(names, types)
        ],
    }

def collect(variables):
    known = list(libraries())
    found = []
    for name, value in reversed(list(variables.items())):
        if type(name) is not str or name[:1] == "_" or not name.isidentifier():
            continue
        for kind, frame in known:
            if any(base is frame for base in mro(type(value))):
                try:
                    known_frame = plain(kind, frame, value)
                    if known_frame is not None:
                        found.append(profile(name, kind, known_frame))
                except Exception:
                    pass
        if len(found) == 50:
            break
    return base64.b64encode(json.dumps(found).encode()).decode()

answer = collect(variables)
`;

/** One expression: nothing is assigned in the person's namespace, whatever they shadowed. */
const EXPRESSION =
  '(lambda space: (__import__("builtins").exec(' +
  JSON.stringify(SOURCE) +
  ', space), space["answer"])[1])' +
  '({"__name__": "aiserver", "variables": (lambda: 0).__globals__})';

/**
 * The DataFrames of a kernel, the newest name first.
 *
 * @throws Error with a sentence for the person.
 */
export async function listDataFrames(
  kernel: Kernel.IKernelConnection | null | undefined,
  language: string,
  trans: TranslationBundle
): Promise<DataFrameProfile[]> {
  if (language.toLowerCase() !== 'python') {
    throw new Error(
      trans.__('DataFrames can only be listed in Python notebooks.')
    );
  }
  if (!kernel) {
    throw new Error(
      trans.__(
        'No kernel is running. First run a cell that creates a DataFrame.'
      )
    );
  }
  const busy = trans.__(
    'The kernel is busy. Try again when the running cell has finished.'
  );
  if (kernel.status === 'busy') {
    throw new Error(busy);
  }
  const cannot = trans.__(
    'The kernel could not list its DataFrames. Try again, or restart the kernel.'
  );
  const reply = await ask(kernel).catch(() => {
    // It died or was started anew meanwhile, and the reason is not the person's language.
    throw new Error(cannot);
  });
  if (!reply) {
    throw new Error(busy);
  }
  const content = reply.content as { user_expressions?: unknown };
  const profiles = readProfiles(content.user_expressions);
  if (!profiles) {
    throw new Error(cannot);
  }
  return profiles;
}

/** The kernel's reply; null if it takes too long. */
async function ask(
  kernel: Kernel.IKernelConnection
): Promise<KernelMessage.IExecuteReplyMsg | null> {
  const future = kernel.requestExecute(
    {
      code: '',
      silent: true,
      store_history: false,
      user_expressions: { dataframes: EXPRESSION },
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

/** Read the kernel's answer; null if it is not one. */
export function readProfiles(expressions: unknown): DataFrameProfile[] | null {
  const answer = (expressions as Record<string, unknown> | undefined)
    ?.dataframes as
    { status?: string; data?: Record<string, unknown> } | undefined;
  const plain = answer?.data?.['text/plain'];
  if (answer?.status !== 'ok' || typeof plain !== 'string') {
    return null;
  }
  try {
    const bytes = Uint8Array.from(atob(plain.slice(1, -1)), char =>
      char.charCodeAt(0)
    );
    const list: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return Array.isArray(list) ? list.filter(isProfile) : null;
  } catch {
    return null;
  }
}

function isProfile(value: unknown): value is DataFrameProfile {
  const profile = value as DataFrameProfile;
  return (
    typeof profile?.name === 'string' &&
    Number.isInteger(profile.rowCount) &&
    Number.isInteger(profile.columnCount) &&
    Array.isArray(profile.columns)
  );
}
