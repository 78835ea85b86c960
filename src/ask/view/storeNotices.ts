/** Makes sure that only one prompt row of the page shows a warning about the server's store. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { sentenceText } from '../../labels/serverText';
import { joinSentences } from '../../labels/spacing';

/** The warnings that a row of this page shows or has shown. */
const shownTexts = new Set<string>();

/** Return the warnings that this row shows because no other row has shown them, as one text. */
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
