/** The titles of requests. */
import type { TranslationBundle } from '@jupyterlab/translation';

/**
 * The first line of a request to fix an error. A history may contain this English line even if the
 * interface is in another language now.
 */
const FIX_REQUEST = 'Fix this error:';

/** Return a request's text or, if it asks to fix an error, a title: "Fix: KeyError 'month'". */
export function requestTitle(text: string, trans: TranslationBundle): string {
  const title = text.trim();
  const [first, ...lines] = title.split('\n').map(line => line.trim());
  const error = lines.filter(Boolean).pop(); // The last line of a traceback is the error.
  const fixRequests = [
    FIX_REQUEST,
    trans.__('Fix this error:'),
    '/fix',
    trans.__('/fix')
  ];
  const isFix = fixRequests.includes(first);
  if (isFix && error) {
    return trans.__('Fix: %1', error.replace(/^(\w+): /, '$1 '));
  }
  return title || trans.__('Request without text');
}
