/** Completes the result of a check with the names in the Python code of other cells. */
import type { ICheck, IProblem } from '../kernel/check';

const NAME = '\\p{L}\\p{N}\\p{M}_';
/** Matches the targets of an assignment without indentation, such as `a = (b, *c) =`. */
const TARGETS = new RegExp(
  `^(?! )(?:[([]?[${NAME}*, .]+[)\\]]?[ \\t]*=(?!=)[ \\t]*)+`,
  'gmu'
);

export function mentionsName(code: string, name: string): boolean {
  return nameIn(name).test(code);
}

/** Return whether a statement without indentation assigns, imports or defines a name. */
export function definesName(code: string, name: string): boolean {
  const isAssigned = [...code.matchAll(TARGETS)].some(([targets]) =>
    targets.split(/[=,()[\]*\s]+/).includes(name)
  );
  const word = nameIn(name).source;
  const imported = `(?:from .* )?import (?:[^#\\n]*[, (])?${word}(?=\\s*(?:[,#;.)]|$))`;
  const statement = `^(?:${imported}|(?:async )?(?:def|class) ${word})`;
  return isAssigned || new RegExp(statement, 'mu').test(code);
}

/** Mark the undefined names that cells above define, and the DataFrames that other cells use. */
export function withOtherCells(
  { problems, warnings, signals }: ICheck,
  above: readonly string[],
  others: readonly string[]
): ICheck {
  const isMentioned = (name: string) =>
    others.some(code => mentionsName(code, name));
  const isDefinedAbove = ({ kind, name }: IProblem) =>
    kind === 'undefined_name' && above.some(code => definesName(code, name));
  return {
    signals,
    problems: problems.map(problem =>
      isDefinedAbove(problem) ? { ...problem, isDefinedAbove: true } : problem
    ),
    warnings: warnings.map(warning => ({
      ...warning,
      isInOtherCells: warning.kind !== 'file' && isMentioned(warning.name),
      otherName: isMentioned(warning.otherName) ? '' : warning.otherName
    }))
  };
}

function nameIn(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![${NAME}])${escaped}(?![${NAME}])`, 'u');
}
