/** Corrects the problems of a suggestion's code, and describes problems for the model. */
import type { IProblem } from '../../kernel/check';

/**
 * At the position of a problem, replace the wrong name with a candidate. If the name isn't there,
 * return the code unchanged.
 */
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

/** Replace the names of several problems, which are in the order of their positions. */
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

/** Describe a problem in one line for the model, in English. */
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

/** Return the line that installs a package from a cell. */
export function installLine(packageName: string): string {
  return `%pip install ${packageName}`;
}

/** Insert a line at the start of the code or, if the code has a cell magic, after the magic. */
export function withFirstLine(code: string, line: string): string {
  const magic = /^\s*%%.*\n/.exec(code)?.[0] ?? '';
  return `${magic}${line}\n${code.slice(magic.length)}`;
}

/**
 * Make the obvious corrections: replace a name with the candidate that it clearly stands for, and
 * import a well-known name. `corrections` lists the corrections, such as `prise → price`.
 */
export function correctObvious(
  code: string,
  problems: readonly IProblem[]
): { code: string; corrections: string[] } {
  const replacements = new Set<string>();
  const imports = new Set<string>();
  // A replacement moves the positions of the problems after it, so start with the last problem.
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

/** Convert a position to an offset. Lines are counted from 1; columns from 0, in code points. */
export function offsetOf(code: string, line: number, column: number): number {
  const lines = code.split('\n');
  const before =
    lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0);
  const within = Array.from(lines[line - 1] ?? '')
    .slice(0, column)
    .join('');
  return Math.min(before + within.length, code.length);
}
