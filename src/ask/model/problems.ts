/** Corrects the problems of code, and describes them. */
import type { IProblem } from '../../kernel/check';

/** Replace the wrong name that a problem reports with one of the problem's candidates. */
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

/** Describe a problem in one line for the model, in English. */
export function problemLine({
  message,
  line,
  candidates,
  package: packageName
}: IProblem): string {
  const names = candidates.map(name => `'${name}'`).join(' or ');
  const hint = names && ` Did you mean ${names}?`;
  const install = packageName
    ? ` The package '${packageName}' provides it and can be installed.`
    : '';
  return `Line ${line}: ${message}${hint}${install}`;
}

/** Return the line that installs a package from a cell. */
export function installLine(packageName: string): string {
  return `%pip install ${packageName}`;
}

/** Return the code, preceded by a line that installs a package. */
export function withInstall(code: string, packageName: string): string {
  return `${installLine(packageName)}\n${code}`;
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
