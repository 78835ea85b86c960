/** Completes slash words, such as `/fix`, at the beginning of a request. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { modeLabels } from '../../labels/modeLabels';
import type { GenerationModel } from '../model/generation';

/** A text that can replace the beginning of the input up to the cursor. */
export interface ICompletion {
  readonly text: string;
  readonly description: string;
}

/** The modes for a cell without code. The others change or explain code. */
const MODES_WITHOUT_CODE = ['visualise'];

/** Return the completions of a request. Only requests for code have slash words. */
export function completeRequest(
  { target, state }: GenerationModel,
  textBeforeCursor: string,
  trans: TranslationBundle
): ICompletion[] {
  const hasCode = !!(state.code || target.source())?.trim();
  return target.cellType === 'code'
    ? completeSlashWord(textBeforeCursor, hasCode, trans)
    : [];
}

/** Return the text after the slash word `/fix`; null if the request doesn't begin with it. */
export function textAfterFix(
  intent: string,
  trans: TranslationBundle
): string | null {
  const match = /^\s*(\/\S+)\s*/.exec(intent);
  const isFix =
    match && ['/fix', trans.__('/fix')].includes(match[1].toLowerCase());
  return isFix ? intent.slice(match[0].length) : null;
}

/**
 * Return the slash words that the text before the cursor begins. A word also matches by its English
 * name. If the text is a whole slash word, return none.
 */
export function completeSlashWord(
  textBeforeCursor: string,
  hasCode: boolean,
  trans: TranslationBundle
): ICompletion[] {
  const match = /^\s*\/([^\s/]*)$/.exec(textBeforeCursor);
  if (!match) {
    return [];
  }
  const typed = match[1].toLowerCase();
  const labels = modeLabels(trans).filter(
    ({ mode }) => hasCode || MODES_WITHOUT_CODE.includes(mode)
  );
  if (labels.some(({ slashWord }) => slashWord === `/${typed}`)) {
    return [];
  }
  return labels
    .filter(
      ({ mode, slashWord }) =>
        slashWord.startsWith(`/${typed}`) || mode.startsWith(typed)
    )
    .map(({ slashWord, description }) => ({ text: slashWord, description }));
}
