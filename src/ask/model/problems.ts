/**
 * The problems of code, what helps with them without a model, and what a suggestion overwrites.
 *
 * Invariant: only packages that the check knows are offered; no name is taken from an error.
 */
import type { ITarget } from '../../cells/notebookCell';
import { changedLines } from '../../diff/changedLines';
import type { IProblem, IWarning } from '../../kernel/check';
import type { IHistory } from '../../tokens';

/** If the wrong name isn't at its position, return the code unchanged. */
export function replaceName(
  code: string,
  { line, column, endLine, endColumn, name }: IProblem,
  candidate: string
): string {
  const from = offsetOf(code, line, column);
  const to = offsetOf(code, endLine, endColumn);
  const problemText = code.slice(from, to);
  const at = problemText.lastIndexOf(name);
  if (!name || at < 0) {
    return code;
  }
  const quote = /^\w*(["'])/.exec(problemText)?.[1];
  const escapedCandidate = quote
    ? candidate.replace(/\\/g, '\\\\').replaceAll(quote, `\\${quote}`)
    : candidate;
  const start = from + at;
  return (
    code.slice(0, start) + escapedCandidate + code.slice(start + name.length)
  );
}

/** The problems are in the order of their positions. */
export function replaceNames(
  code: string,
  problems: readonly IProblem[],
  candidate: string
): string {
  return problems.reduceRight(
    (replaced, problem) => replaceName(replaced, problem, candidate),
    code
  );
}

export function problemLine({
  message,
  line,
  candidates,
  package: packageName,
  import: statement
}: IProblem): string {
  const names = candidates.map(name => `'${name}'`).join(' or ');
  const hint = names && ` Did you mean ${names}?`;
  const install = packageName
    ? ` The package '${packageName}' provides it and can be installed.`
    : '';
  const definition = statement ? ` '${statement}' defines it.` : '';
  return `Line ${line}: ${message}${hint}${install}${definition}`;
}

export function installLine(packageName: string): string {
  return `%pip install ${packageName}`;
}

/** Insert a line at the start of the code, but after a cell magic. */
export function withFirstLine(code: string, line: string): string {
  const magic = /^\s*%%.*\n/.exec(code)?.[0] ?? '';
  return `${magic}${line}\n${code.slice(magic.length)}`;
}

/** Replace names that clearly stand for others, and import well-known ones: `prise → price`. */
export function correctObvious(
  code: string,
  problems: readonly IProblem[]
): { code: string; corrections: string[] } {
  const replacements = new Set<string>();
  const imports = new Set<string>();
  // The last problem first, because a replacement moves the positions after it.
  for (const problem of [...problems].reverse()) {
    const { name, correction, candidates, import: statement } = problem;
    if (problem.isDefinedAbove) {
      continue; // The name is right, and its cell has to run.
    }
    if (correction) {
      const corrected = replaceName(code, problem, correction);
      if (corrected !== code) {
        replacements.add(`${name} → ${correction}`);
      }
      code = corrected;
    } else if (statement && !candidates.length) {
      imports.add(statement);
    }
  }
  return {
    code: [...imports].reduce(withFirstLine, code),
    corrections: [...imports, ...replacements].reverse()
  };
}

/** Lines are counted from 1; columns from 0, in code points. */
export function offsetOf(code: string, line: number, column: number): number {
  const lines = code.split('\n');
  const before =
    lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const within = Array.from(lines[line - 1] ?? '')
    .slice(0, column)
    .join('');
  return Math.min(before + within.length, code.length);
}

/** A line to add to the code; null for running the cells above. */
export type Remedy = string | null;

const MAX_MODULES = 5;

/** Return what helps, without duplicates, in the order in which it helps. */
export function remediesOf(problems: readonly IProblem[]): Remedy[] {
  return [
    ...new Set([
      ...problems.map(item => item.package && installLine(item.package)),
      ...problems.map(item => (item.isDefinedAbove ? null : '')),
      ...problems.map(item => (item.isDefinedAbove ? '' : item.import))
    ])
  ].filter((line): line is Remedy => line !== '' && line !== undefined);
}

export function isForModel({ kind, isDefinedAbove }: IProblem): boolean {
  return kind !== 'missing_module' && !isDefinedAbove;
}

/** Return what helps with the error below a cell; empty if nothing is known. */
export async function findRemedies(
  target: Pick<ITarget, 'error' | 'source' | 'check'>
): Promise<readonly Remedy[]> {
  const error = target.error();
  const name = error && undefinedName(error);
  if (name) {
    // The cell's code tells which `datetime` is meant. But a function's body isn't checked fully.
    const problems = (await target.check(target.source() ?? '')) ?? [];
    const own = problems.filter(problem => problem.name === name);
    return remediesOf(own.length ? own : ((await target.check(name)) ?? []));
  }
  const imports = error ? missingModules(error).map(it => `import ${it}`) : [];
  return imports.length
    ? remediesOf((await target.check(imports.join('\n'))) ?? []).slice(0, 1)
    : [];
}

function undefinedName(error: string): string | undefined {
  return /^NameError: name '([^']+)' is not defined/m.exec(error)?.[1];
}

/** Return the modules that an import's error names; some may be installed. */
function missingModules(error: string): string[] {
  const message = /^(?:ModuleNotFoundError|ImportError): (.*)/ms.exec(error);
  if (!message || message[1].includes('cannot import name')) {
    return [];
  }
  // A quoted module, or the one with which the message begins.
  const quoted = '["\'`](?:Import )?([A-Za-z_][\\w.]*)["\'`]';
  const first = '^([A-Za-z_]\\w*) (?:is required|not found)';
  const names = message[1].matchAll(new RegExp(`${quoted}|${first}`, 'g'));
  return [...names].map(([, a, b]) => a ?? b).slice(0, MAX_MODULES);
}

const NAME_CHARACTER = /^[\p{L}\p{N}\p{M}_]/u;

/** Null if there is no other name, or the code has changed. */
export function withOtherName(
  code: string,
  { name, otherName, uses }: IWarning
): string | null {
  const offsets = uses.map(([line, column]) => offsetOf(code, line, column));
  const isCurrent = offsets.every(
    offset =>
      code.startsWith(name, offset) &&
      !NAME_CHARACTER.test(code.slice(offset + name.length))
  );
  if (!otherName || !offsets.length || !isCurrent) {
    return null;
  }
  let renamed = code;
  for (const offset of [...offsets].sort((a, b) => b - a)) {
    renamed =
      renamed.slice(0, offset) +
      otherName +
      renamed.slice(offset + name.length);
  }
  return renamed;
}

/** Count the hand-written lines that are missing from `code`; 0 if that isn't known. */
export async function countOverwrittenLines(
  history: IHistory,
  target: Pick<ITarget, 'key' | 'source'>,
  code: string
): Promise<number> {
  const source = target.source() ?? '';
  const key = target.key();
  const isRemoved = removedLines(source, code);
  if (!key || !isRemoved.includes(true)) {
    return 0;
  }
  try {
    const { lines } = await history.api.blame(key, { source });
    return lines.filter(
      ({ author, existing }, index) =>
        isRemoved[index] && author === 'person' && !existing
    ).length;
  } catch {
    return 0; // No history yet, or the server can't be reached.
  }
}

/** Return for each line whether it isn't blank and is nowhere in `code`. */
function removedLines(source: string, code: string): boolean[] {
  const texts = new Set(code.split('\n').map(line => line.trim()));
  const lines = source.split('\n').map(line => line.trim());
  return changedLines(source, code)
    .filter(({ kind }) => kind !== 'added')
    .map(({ kind }, index) => {
      const text = lines[index] ?? '';
      return kind === 'removed' && text !== '' && !texts.has(text);
    });
}
