/** Shows each warning about the store in only one prompt row of the page. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { sentenceText } from '../../labels/serverText';
import { joinSentences } from '../../labels/spacing';

/** The warnings that any row of this page has shown. */
const shownTexts = new Set<string>();

/** Return the warnings that no other row has shown before, as one text. */
export function useStoreNotice(
  texts: readonly string[],
  trans: TranslationBundle
): string {
  const ownTexts = React.useRef(new Set<string>());
  for (const text of texts) {
    if (!shownTexts.has(text)) {
      shownTexts.add(text);
      ownTexts.current.add(text);
    }
  }
  return joinSentences(
    ...texts
      .filter(text => ownTexts.current.has(text))
      .map(text => sentenceText(text, trans))
  );
}
