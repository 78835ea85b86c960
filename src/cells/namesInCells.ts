/** Looks for names in the Python code of other cells, and completes the result of a check. */
import type { ICheck, IProblem, IWarning } from '../kernel/check';

/** The characters of Python names. */
const NAME = '\\p{L}\\p{N}\\p{M}_';
/** Matches the targets of an assignment that isn't indented, such as `a = (b, *c) =`. */
const TARGETS = new RegExp(
  `^(?! )(?:[([]?[${NAME}*, .]+[)\\]]?[ \\t]*=(?!=)[ \\t]*)+`,
  'gmu'
);

/** Return whether code mentions a name. */
export function mentionsName(code: string, name: string): boolean {
  return nameIn(name).test(code);
}

/** Return whether a statement that isn't indented assigns, imports or defines a name. */
export function definesName(code: string, name: string): boolean {
  const isAssigned = [...code.matchAll(TARGETS)].some(([targets]) =>
    targets.split(/[=,()[\]*\s]+/).includes(name)
  );
  const word = nameIn(name).source;
  const among = `(?:[^#\\n]*[, (])?${word}`;
  const statements = [
    `${word}[ \\t]*:[^=\\n]+=(?!=)`,
    `(?:async )?(?:def|class) ${word}`,
    `import ${among}(?=\\s*(?:[,#;.]|$))`,
    `from .* import ${among}(?=\\s*(?:[,#;)]|$))`,
    `for (?:[${NAME}, (]*[, (])?${word}[${NAME}, )]* in `,
    `(?:async )?with .* as ${word}:`
  ];
  return (
    isAssigned || new RegExp(`^(?:${statements.join('|')})`, 'mu').test(code)
  );
}

/**
 * Mark the undefined names that cells above define, and the DataFrames that other cells use. Another
 * name that a warning offers is one that no other cell mentions.
 */
export function withOtherCells(
  { problems, warnings }: ICheck,
  above: readonly string[],
  others: readonly string[]
): ICheck {
  const isMentioned = (name: string) =>
    others.some(code => mentionsName(code, name));
  const markProblem = (problem: IProblem): IProblem =>
    problem.kind === 'undefined_name' &&
    above.some(code => definesName(code, problem.name))
      ? { ...problem, isDefinedAbove: true }
      : problem;
  const markWarning = (warning: IWarning): IWarning => ({
    ...warning,
    isInOtherCells: warning.kind !== 'file' && isMentioned(warning.name),
    otherName: freeName(warning.otherName, isMentioned)
  });
  return {
    problems: problems.map(markProblem),
    warnings: warnings.map(markWarning)
  };
}

/** Return a name with the next number that is free: `sales_2 -> sales_3`. */
function freeName(
  name: string,
  isMentioned: (name: string) => boolean
): string {
  let free = name;
  for (let number = 2; free && isMentioned(free); number++) {
    free = `${name.replace(/_\d+$/, '')}_${number}`;
  }
  return free;
}

function nameIn(name: string): RegExp {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![${NAME}])${escaped}(?![${NAME}])`, 'u');
}
