/** Names a request. Text only. */
import type { TranslationBundle } from '@jupyterlab/translation';

/** How a request to fix an error begins in English, whatever the interface's language is now. */
const FIX_REQUEST = 'Fix this error:';

/** The words of a request; one to fix an error is named by it: "Fix: KeyError 'month'". */
export function requestTitle(text: string, trans: TranslationBundle): string {
  const title = text.trim();
  const [first, ...lines] = title.split('\n').map(line => line.trim());
  const error = lines.filter(Boolean).pop();
  const isFix = first === FIX_REQUEST || first === trans.__('Fix this error:');
  if (isFix && error) {
    return trans.__('Fix: %1', error.replace(/^(\w+): /, '$1 '));
  }
  return title || trans.__('Request without text');
}
