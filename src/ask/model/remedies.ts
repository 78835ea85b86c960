/**
 * Finds what helps with a problem or an error without a model: installing a package, running the
 * cells above, or importing a well-known name.
 *
 * Invariants:
 * - Nothing runs, and nothing is written into the cell, until the person says so: a line to add is
 *   shown as a suggestion.
 * - Only packages are offered that the check knows; no name is taken from an error.
 */
import type { IProblem } from '../../kernel/check';
import { installLine, withFirstLine } from './problems';
import { ITarget, suggestionFields } from './state';
import type { GenerationStore } from './store';
import { normalizeLineBreaks } from '../../diff/lineBreaks';
import { ISuggestion, NO_TURN } from './suggestion';

/** A line to add to the code; null for running the cells above. */
export type Remedy = string | null;

/** The maximum number of modules in an error message that are looked for. */
const MAX_MODULES = 5;

/** Return what helps with these problems, without duplicates, in the order in which it helps. */
export function remediesOf(problems: readonly IProblem[]): Remedy[] {
  return [
    ...new Set([
      ...problems.map(item => item.package && installLine(item.package)),
      ...problems.map(item => (item.isDefinedAbove ? null : '')),
      ...problems.map(item => (item.isDefinedAbove ? '' : item.import))
    ])
  ].filter((line): line is Remedy => line !== '' && line !== undefined);
}

/** Return whether a model may be able to correct the problem. */
export function isForModel({ kind, isDefinedAbove }: IProblem): boolean {
  return kind !== 'missing_module' && !isDefinedAbove;
}

/** Return what helps with the error below a cell; empty if nothing does, or if it isn't known. */
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

/** Show the cell's code with this line as a suggestion. */
export function offerLine(store: GenerationStore, line: string): void {
  const source = store.target.source();
  if (store.isBusy || store.suggestion || source === null) {
    return;
  }
  const suggestion: ISuggestion = {
    turnId: NO_TURN,
    intent: line,
    source: withFirstLine(normalizeLineBreaks(source), line),
    explanation: '',
    saveError: null
  };
  store.hasBegun = true;
  store.baseSource = source;
  store.request = store.answeredRequest = null;
  store.suggestion = suggestion;
  store.setState({
    ...suggestionFields(suggestion, suggestion.source),
    turnId: store.state.turnId,
    isRemedy: true,
    notice: null,
    failure: null
  });
  void store.check();
}

/** Return the name that a `NameError` is about; undefined for any other error. */
function undefinedName(error: string): string | undefined {
  return /^NameError: name '([^']+)' is not defined/m.exec(error)?.[1];
}

/** Return the modules that an error of an import names; some of them may be installed. */
function missingModules(error: string): string[] {
  const message = /^(?:ModuleNotFoundError|ImportError): (.*)/ms.exec(error);
  if (!message || message[1].includes('cannot import name')) {
    return [];
  }
  // A quoted module, or the module with which the message begins.
  const quoted = '["\'`](?:Import )?([A-Za-z_][\\w.]*)["\'`]';
  const first = '^([A-Za-z_]\\w*) (?:is required|not found)';
  const names = message[1].matchAll(new RegExp(`${quoted}|${first}`, 'g'));
  return [...names].map(([, a, b]) => a ?? b).slice(0, MAX_MODULES);
}
