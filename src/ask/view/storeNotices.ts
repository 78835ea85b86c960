/** Makes sure that only one prompt row of the page shows a warning about the server's store. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { sentenceText } from '../../labels/serverText';
import { joinSentences } from '../../labels/spacing';

/** The warnings that rows of this page show or have shown. */
const shownTexts = new Set<string>();

/**
 * Return the warnings that this row shows, as one text. A row shows only those of `texts` that no
 * other row showed before it.
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
