/**
 * Shows the answers again on which nobody has decided, for example because the page was reloaded.
 *
 * Invariant: nothing that the person has begun, and no answer that this page has shown, is replaced.
 */
import type { Step } from '../../../api/types';
import { answersOf } from '../../../records/answers';
import { selectedLines } from '../../../labels/requestTitle';
import { selectionOfLines } from '../context/selection';
import { suggestedState } from '../state';
import type { GenerationStore } from '../store';
import { type ISuggestion, fromAnswer } from '../suggestion';
import { MAX_ANSWERS } from './answers';

/** Return the suggestions that answer a request, oldest first. */
function suggestionsOf(step: Step): ISuggestion[] {
  return answersOf(step)
    .filter(({ outcome }) => outcome === 'open')
    .map(answer => ({ ...fromAnswer(answer), intent: step.title }))
    .slice(-MAX_ANSWERS);
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
  const last = turns[turns.length - 1];
  if (last?.outcome !== 'open') {
    return;
  }
  const isRefinement = typeof last.base === 'string';
  const parentTurnId = isRefinement
    ? allSteps[last.parent ?? -1]?.turnId
    : undefined;
  const { phase, branch, selection } = store.state;
  const source = store.target.source();
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
  for (const [index, suggestion] of suggestionsOf(last).entries()) {
    store.request = { ...request, isRetry: index > 0 };
    store.setAnswer(suggestion);
  }
  store.setState(suggestedState(store.suggestion!));
  void store.check();
}
