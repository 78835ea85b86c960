/** Shows each warning about the server's store in only one of the page's prompt rows. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { sentenceText } from '../../labels/serverText';
import { joinSentences } from '../../labels/spacing';

/** The warnings that rows of this page show or have shown. */
const shownTexts = new Set<string>();

/**
 * Return those warnings of `texts` that this row shows, as one text. The row shows a warning only
 * if no other row has shown it before.
 */
export function useStoreNotice(
  texts: readonly string[],
  trans: TranslationBundle
): string {
  const textsOfThisRow = React.useRef(new Set<string>());
  for (const text of texts) {
    if (!shownTexts.has(text)) {
      shownTexts.add(text);
      textsOfThisRow.current.add(text);
    }
  }
  return joinSentences(
    ...texts
      .filter(text => textsOfThisRow.current.has(text))
      .map(text => sentenceText(text, trans))
  );
}
