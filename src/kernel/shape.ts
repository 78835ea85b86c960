/**
 * Readers of what a kernel sent. It isn't trusted, because it contains names and values from the
 * person's data.
 *
 * A reader returns a value of its type, or undefined if the kernel's isn't one.
 */
export type Reader<T> = (value: unknown) => T | undefined;

export type Infer<R> = R extends Reader<infer T> ? T : never;

type Readers<T> = { readonly [K in keyof T]-?: Reader<T[K]> };

export const text: Reader<string> = value =>
  typeof value === 'string' ? value : undefined;

export const count: Reader<number> = value =>
  Number.isSafeInteger(value) && Number(value) >= 0
    ? (value as number)
    : undefined;

export const finite: Reader<number> = value =>
  Number.isFinite(value) ? (value as number) : undefined;

export const flag: Reader<boolean> = value => value === true;

/** Use another value instead of an invalid one. */
export const or =
  <T, U>(read: Reader<T>, other: U) =>
  (value: unknown) =>
    (read(value) ?? other) as U extends T ? T : T | U;

/** Read the valid items of a list, at most `limit`. */
export const listOf =
  <T>(read: Reader<T>, limit = Infinity): Reader<T[]> =>
  value =>
    Array.isArray(value)
      ? value
          .slice(0, limit)
          .map(read)
          .filter(item => item !== undefined)
      : undefined;

/** Read a list that is invalid if one of its items is. */
export const all =
  <T>(read: Reader<T>): Reader<T[]> =>
  value => {
    const items = Array.isArray(value) ? value.map(read) : undefined;
    return items?.every(item => item !== undefined) ? items : undefined;
  };

/**
 * Read an object, without fields that aren't mentioned. It is invalid if one of the `required` fields
 * is. The kernel's name of a field can be written `as_in_python`.
 */
export function record<R extends object, O extends object = object>(
  required: Readers<R>,
  optional = {} as Readers<O>
): Reader<R & Partial<O>> {
  return value => {
    const given = value as Record<string, unknown> | null | undefined;
    const result: Record<string, unknown> = {};
    const entries: [string, Reader<unknown>][] = [
      ...Object.entries<Reader<unknown>>(required),
      ...Object.entries<Reader<unknown>>(optional)
    ];
    for (const [name, read] of typeof given === 'object' ? entries : []) {
      const field = read(given?.[name] ?? given?.[inPython(name)] ?? null);
      if (field !== undefined) {
        result[name] = field;
      }
    }
    const isValid = Object.keys(required).every(name => name in result);
    return given && isValid ? (result as R & Partial<O>) : undefined;
  };
}

const inPython = (name: string) =>
  name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);

/** Return whether the kernel says that there is no such variable. */
export function isMissing(result: unknown): boolean {
  return record({ problem: text })(result)?.problem === 'missing';
}
