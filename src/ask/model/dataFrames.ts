/**
 * Lists the DataFrames in the kernel. A DataFrame's profile contains its name, its shape, and the
 * names and dtypes of its columns, but no values.
 *
 * Invariants:
 * - Listing changes nothing in the kernel: it creates no variable, no prompt number and no entry in
 *   the history of inputs.
 * - Listing runs no code of the person, such as a `repr` or a method of a class that imitates a
 *   DataFrame. If a DataFrame can't be read, the other DataFrames are still listed.
 * - The names of variables and columns are never executed: the kernel returns them as base64 of
 *   JSON, and each profile is validated.
 * - If the kernel is busy, listing fails instead of waiting.
 */
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { TranslationBundle } from '@jupyterlab/translation';

import type { DataFrameProfile } from '../../api/types';

/** A kernel that has not replied after this time counts as busy. */
const TIMEOUT_MS = 5000;

/**
 * The Python code that runs in the kernel, in a separate namespace.
 *
 * The code examines a variable's class without using any attribute that the class can redefine. If
 * the class is a subclass of DataFrame, `to_plain_frame` puts its data into a plain DataFrame, so
 * that the library doesn't call methods that the subclass overrides. `dtype_name` returns only the
 * class's name for a custom dtype, and for a dtype whose text would include categories or a fill
 * value, because these may be data.
 */
const SOURCE = `
import base64, datetime, json, sys

def dataframe_classes():
    for library in ("pandas", "polars"):
        module = sys.modules.get(library)
        frame_class = getattr(module, "DataFrame", None)
        if type(frame_class) is type:
            yield library + ".DataFrame", frame_class

mro, class_dict = type.__dict__["__mro__"].__get__, type.__dict__["__dict__"].__get__
class_name = type.__dict__["__name__"].__get__

def is_library_class(cls):
    module = class_dict(cls).get("__module__")
    if type(module) is not str or module.partition(".")[0] not in ("numpy", "pandas", "polars"):
        return False
    return getattr(sys.modules.get(module), "__dict__", {}).get(class_name(cls)) is cls

def to_plain_frame(kind, frame_class, value):
    if type(value) is frame_class:
        return value
    if kind != "pandas.DataFrame":
        return None
    bases = mro(frame_class)
    slot = next(class_dict(base)["__dict__"] for base in bases if "__dict__" in class_dict(base))
    manager = slot.__get__(value)["_mgr"]
    return frame_class._from_mgr(manager, axes=manager.axes)

def plain_classes():
    pandas = sys.modules.get("pandas")
    names = ("Timestamp", "Timedelta", "Period", "Interval")
    pandas_classes = [getattr(pandas, name, None) for name in names]
    return [str, int, float, bool, type(None), datetime.date, datetime.datetime, *pandas_classes]

def column_name(value, limit):
    cls = type(value)
    if cls is tuple:
        parts = [repr(part) if type(part) is str else column_name(part, limit) for part in value]
        value = "(" + ", ".join(parts) + ")"
    else:
        is_plain = any(cls is plain_class for plain_class in plain_classes())
        value = str(value) if is_plain else "<" + class_name(cls) + ">"
    return value.encode("utf-8", "replace").decode()[:limit]

def dtype_name(dtype):
    name = class_name(type(dtype))
    numpy = getattr(sys.modules.get("numpy"), "dtype", None)
    if not (is_library_class(type(dtype)) or any(base is numpy for base in mro(type(dtype)))):
        return name[:100]
    full = str(dtype)
    if name in ("SparseDtype", "Enum") or "Enum(" in full or "categories" in full:
        return name
    return full.encode("utf-8", "replace").decode()[:100]

def profile(name, kind, frame):
    row_count, column_count = frame.shape
    columns = list(frame.columns[:200])
    dtypes = list(frame.dtypes)[:200]
    return {
        "name": name,
        "kind": kind,
        "rowCount": int(row_count),
        "columnCount": int(column_count),
        "columns": [
            {"name": column_name(column, 200), "dtype": dtype_name(dtype)}
            for column, dtype in zip(columns, dtypes)
        ],
    }

def collect(variables):
    classes = list(dataframe_classes())
    profiles = []
    for name, value in reversed(list(variables.items())):
        if type(name) is not str or name[:1] == "_" or not name.isidentifier():
            continue
        for kind, frame_class in classes:
            if any(base is frame_class for base in mro(type(value))):
                try:
                    frame = to_plain_frame(kind, frame_class, value)
                    if frame is not None:
                        profiles.append(profile(name, kind, frame))
                except Exception:
                    pass
        if len(profiles) == 50:
            break
    return base64.b64encode(json.dumps(profiles).encode()).decode()

result = collect(variables)
`;

/**
 * A Python expression that runs `SOURCE` and returns its `result`. It assigns nothing in the
 * person's namespace, and works even if the person has redefined builtins.
 */
const EXPRESSION =
  '(lambda space: (__import__("builtins").exec(' +
  JSON.stringify(SOURCE) +
  ', space), space["result"])[1])' +
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

/** Evaluate `EXPRESSION` in the kernel and return the reply; null if no reply arrives in time. */
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

/** Return the profiles in the `user_expressions` of a kernel's reply; null if they are invalid. */
export function readProfiles(expressions: unknown): DataFrameProfile[] | null {
  const result = (expressions as Record<string, unknown> | undefined)
    ?.dataframes as
    { status?: string; data?: Record<string, unknown> } | undefined;
  const text = result?.data?.['text/plain'];
  if (result?.status !== 'ok' || typeof text !== 'string') {
    return null;
  }
  try {
    // The text is the `repr` of a Python string, so it has quotes around it.
    const bytes = Uint8Array.from(atob(text.slice(1, -1)), char =>
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
