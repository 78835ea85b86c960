/**
 * Checks a new suggestion, and makes the obvious corrections, such as a missing import, before the
 * suggestion is offered.
 *
 * Invariants (P49):
 * - No model is asked: only the person asks for another answer or a repair.
 * - After the suggestion was offered, nothing is corrected.
 * - The corrections stay only if the code is then valid and has fewer problems.
 * - If only some lines of the cell may change, no other line is corrected.
 */
import { definesName } from '../../cells/namesInCells';
import type { IProblem } from '../../kernel/check';
import { correctObvious } from './problems';
import type { GenerationStore } from './store';

/**
 * The longest time in milliseconds for which a suggestion is held back. If the kernel is slower, for
 * example because it is starting, its problems are shown later, and aren't corrected.
 */
const PATIENCE_MS = 1500;

/** Check and correct the open suggestion. Its buttons are disabled until then (`isChecking`). */
export async function checkSuggestion(store: GenerationStore): Promise<void> {
  const { suggestion } = store;
  const checked = store.check();
  let timer = 0;
  const tooLate = new Promise<null>(resolve => {
    timer = window.setTimeout(() => resolve(null), PATIENCE_MS);
  });
  const problems = await Promise.race([checked, tooLate]);
  clearTimeout(timer);
  if (problems && store.suggestion === suggestion) {
    await correct(store, problems);
  }
  // During the check, the person can close the suggestion and send another request.
  if (store.suggestion === suggestion && store.state.isChecking) {
    store.setState({ isChecking: false });
  }
}

async function correct(
  store: GenerationStore,
  problems: readonly IProblem[]
): Promise<void> {
  const { code, warnings } = store.state;
  const corrected = correctObvious(code, correctable(store, problems));
  if (!corrected.corrections.length) {
    return;
  }
  const correctedCode = corrected.code;
  store.setState({ ...corrected, correctedCode, problems: [] });
  const remaining = await store.check();
  const { phase, code: current } = store.state;
  if (phase !== 'suggested' || current !== correctedCode) {
    return; // The suggestion was closed or revised meanwhile.
  }
  const isValid = !remaining?.some(problem => problem.kind === 'syntax');
  if (!remaining || !isValid || remaining.length >= problems.length) {
    const original = { code, corrections: [], correctedCode: '' };
    store.setState({ ...original, problems, warnings });
  }
}

/**
 * Return the problems that may be corrected: not a name that the cell's present code defines, which
 * the suggestion has lost. If only some lines may change, these are the problems in them, and no
 * import is added above them.
 */
function correctable(
  store: GenerationStore,
  allProblems: readonly IProblem[]
): readonly IProblem[] {
  const lines = store.selectedLines;
  const source = store.target.source() ?? '';
  const problems = allProblems.filter(
    ({ kind, name }) => kind !== 'undefined_name' || !definesName(source, name)
  );
  return lines
    ? problems
        .filter(
          ({ line, endLine }) => line >= lines.first && endLine <= lines.last
        )
        .map(problem => ({ ...problem, import: undefined }))
    : problems;
}
