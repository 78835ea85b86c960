import { hunkRange } from '../../../diff/hunks';
import { ISelection, lineRange, selectLines } from '../context/selection';
import type { IRequest } from '../requestBody';
import type { GenerationStore } from '../store';

/**
 * Return the request for another answer that changes only the lines of one of the suggestion's
 * changes. Return null if there is no such change, if it only removes lines, or if no model wrote it.
 */
export function changeRequest(
  store: GenerationStore,
  index: number
): { request: IRequest; lines: ISelection | null } | null {
  const { answeredRequest, state, suggestion, target } = store;
  const { code, phase } = state;
  const range = hunkRange(target.source() ?? '', code, index);
  if (phase !== 'suggested' || !suggestion || state.isRemedy || !range) {
    return null;
  }
  const selection = selectLines(code, range.from, range.to);
  const isWhole = range.from === 0 && range.to === code.length;
  if (!selection && !isWhole) {
    return null;
  }
  const intent = answeredRequest?.intent ?? suggestion.intent;
  const request = {
    ...store.buildRequest(intent, answeredRequest?.typed ?? intent),
    example: answeredRequest?.example,
    selection: selection && lineRange(selection, code),
    isRetry: true,
    isChange: true
  };
  return { request, lines: selection };
}
