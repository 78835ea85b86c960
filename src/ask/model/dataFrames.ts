/**
 * Reads the DataFrames of the kernel: names, shapes, column names and dtypes, but no values.
 *
 * Invariants:
 * - Reading leaves no trace in the kernel: no variable, no prompt number, no entry in its history.
 * - Reading runs no code of the person: no `repr`, and no method of a class that imitates a
 *   DataFrame. An object that is written to break the reading doesn't affect other objects.
 * - Names of variables and columns are never executed: the kernel returns them as base64 of JSON,
 *   and each DataFrame's data is validated.
 * - If the kernel is busy, the reading fails instead of waiting.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { DataFrameProfile } from '../../api/types';

const TIMEOUT_MS = 5000;

/**
 * The Python code that runs in the kernel, in a namespace of its own. It reads the class of a
 * variable without using any attribute that a class can redefine. The data of a subclass is copied
 * into a plain DataFrame, because the library would call overridden methods. Of a custom dtype, or
 * a dtype whose text includes categories or a fill value, only the class's name is reported,
 * because that text may contain data.
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

def is_library_class(kind):
    module = slots(kind).get("__module__")
    if type(module) is not str or module.partition(".")[0] not in ("numpy", "pandas", "polars"):
        return False
    return getattr(sys.modules.get(module), "__dict__", {}).get(kind_name(kind)) is kind

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
        is_plain = any(kind is plain_kind for plain_kind in plain_kinds())
        value = str(value) if is_plain else "<" + kind_name(kind) + ">"
    return value.encode("utf-8", "replace").decode()[:limit]

def dtype_name(dtype):
    name = kind_name(type(dtype))
    numpy = getattr(sys.modules.get("numpy"), "dtype", None)
    if not (is_library_class(type(dtype)) or any(base is numpy for base in mro(type(dtype)))):
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
            {"name": text(column, 200), "dtype": dtype_name(dtype)}
            for column, dtype in zip(names, types)
        ],
    }

def collect(variables):
    frame_classes = list(libraries())
    profiles = []
    for name, value in reversed(list(variables.items())):
        if type(name) is not str or name[:1] == "_" or not name.isidentifier():
            continue
        for kind, frame in frame_classes:
            if any(base is frame for base in mro(type(value))):
                try:
                    plain_frame = plain(kind, frame, value)
                    if plain_frame is not None:
                        profiles.append(profile(name, kind, plain_frame))
                except Exception:
                    pass
        if len(profiles) == 50:
            break
    return base64.b64encode(json.dumps(profiles).encode()).decode()

answer = collect(variables)
`;

/**
 * A single Python expression that runs `SOURCE`: it assigns nothing in the person's namespace, and
 * works even if the person has redefined builtins.
 */
const EXPRESSION =
  '(lambda space: (__import__("builtins").exec(' +
  JSON.stringify(SOURCE) +
  ', space), space["answer"])[1])' +
  '({"__name__": "aiserver", "variables": (lambda: 0).__globals__})';

/**
 * List the DataFrames of a kernel, the newest variable first.
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
  const busyMessage = trans.__(
    'The kernel is busy. Try again when the running cell has finished.'
  );
  if (kernel.status === 'busy') {
    throw new Error(busyMessage);
  }
  const failureMessage = trans.__(
    'The kernel could not list its DataFrames. Try again, or restart the kernel.'
  );
  const reply = await requestProfiles(kernel).catch(() => {
    // The kernel died or restarted. Its error message isn't shown, because it isn't translated.
    throw new Error(failureMessage);
  });
  if (!reply) {
    throw new Error(busyMessage);
  }
  const content = reply.content as { user_expressions?: unknown };
  const profiles = readProfiles(content.user_expressions);
  if (!profiles) {
    throw new Error(failureMessage);
  }
  return profiles;
}

/** Request the profiles; null if the kernel doesn't reply in time. */
async function requestProfiles(
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

/** Parse the kernel's reply; null if it is invalid. */
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
