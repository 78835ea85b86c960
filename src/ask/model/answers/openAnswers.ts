/**
 * Shows the answers again on which nobody has decided, for example because the page was reloaded.
 *
 * Invariant: nothing that the person has begun, and no answer that this page has shown, is replaced.
 */
import type { Step } from '../../../api/types';
import { selectedLines } from '../../../labels/requestTitle';
import { selectionOfLines } from '../context/selection';
import { suggestedState } from '../state';
import type { GenerationStore } from '../store';
import { fromStep } from '../suggestion';
import { MAX_ANSWERS } from './answers';

/** The maximum number of further answers that the page requests automatically for a request. */
const MAX_ATTEMPTS_OF_REQUEST = 4;

/** The turns of the answers to one request, oldest first, and the turn that it continued from. */
interface IOpenAnswers {
  readonly steps: readonly Step[];
  readonly parentTurnId?: number;
}

/** Return the answers to the last request if nobody has decided on them; otherwise null. */
function findOpenAnswers(
  steps: readonly Step[],
  turns: readonly Step[]
): IOpenAnswers | null {
  const last = turns[turns.length - 1];
  // After a correction, the first answer can be the one that the person decided on.
  const isDecided = turns
    .slice(-1 - MAX_ATTEMPTS_OF_REQUEST, -1)
    .some(
      ({ before, outcome }) =>
        before === last.before &&
        (outcome === 'accepted' || outcome === 'rejected')
    );
  if (last?.outcome !== 'open' || isDecided) {
    return null;
  }
  const isRefinement = typeof last.base === 'string';
  const parent = isRefinement ? steps[last.parent ?? -1] : undefined;
  return { steps: answersLike(last, turns), parentTurnId: parent?.turnId };
}

/**
 * Return the turns at the end that answer the same request as `last`, the newest of each model: it
 * can be a correction of an earlier one.
 */
function answersLike(last: Step, turns: readonly Step[]): Step[] {
  const newest = new Map<string | undefined, Step>();
  for (const step of [...turns].reverse()) {
    const isSameRequest =
      step.title === last.title &&
      step.base === last.base &&
      step.parent === last.parent;
    const isAnswer =
      step.outcome === 'open' &&
      step.before === last.before &&
      (isSameRequest || step.mode === 'repair');
    if (!isAnswer) {
      break;
    }
    newest.set(step.model, newest.get(step.model) ?? step);
  }
  return [...newest.values()].slice(0, MAX_ANSWERS).reverse();
}

/**
 * Show the answers to the last request, unless somebody has decided on them or the cell has changed
 * since. `turns` are those of the cell's `steps` that a person's requests have caused.
 */
export function showOpenAnswers(
  store: GenerationStore,
  allSteps: readonly Step[],
  turns: readonly Step[]
): void {
  const open = findOpenAnswers(allSteps, turns);
  if (!open) {
    return;
  }
  const { steps, parentTurnId } = open;
  const { phase, branch, selection } = store.state;
  const source = store.target.source();
  const last = steps[steps.length - 1];
  const hasBegun =
    store.hasBegun || store.inputText.trim() || branch || selection;
  // The rejection of an answer that this page has shown may not be recorded yet.
  const hasAnswered = store.answeredRequest !== null;
  if (
    phase !== 'editing' ||
    hasBegun ||
    hasAnswered ||
    source !== last.before
  ) {
    return;
  }
  const requestSource = last.base ?? last.before;
  const lines = selectedLines(last.data);
  store.setState({
    selection: lines && selectionOfLines(requestSource, lines)
  });
  const isTyped = !last.title.includes('\n'); // Other requests contain an error.
  const request = {
    ...store.buildRequest(last.title, isTyped ? last.title : ''),
    source: requestSource,
    selection: lines,
    parentTurnId
  };
  store.baseSource = source;
  for (const [index, step] of steps.entries()) {
    store.request = { ...request, isRetry: index > 0 };
    store.setAnswer(fromStep(step));
  }
  store.setState(suggestedState(fromStep(last), source));
  void store.check();
}
