/** Completes slash words, such as `/fix`, at the beginning of a request. */
import type { TranslationBundle } from '@jupyterlab/translation';

import { modeLabels, modesOfCellAbove } from '../../../labels/modeLabels';
import type { GenerationModel } from '../../model/generation';
import { problemLines } from '../promptLabels';
import type { ICompletion } from './completionList';

/** The modes that need no code. The others change or explain code. */
const MODES_WITHOUT_CODE = ['visualise'];

/** The nearest code: of the cell itself, of a cell above, or none. */
export type NearestCode = 'own' | 'above' | 'none';

/** Return the slash words that complete a request. Only requests for code have slash words. */
export function completeSlashWords(
  { target, state }: GenerationModel,
  textBeforeCursor: string,
  trans: TranslationBundle
): ICompletion[] {
  const source = state.code || target.source() || '';
  const nearest = (): NearestCode =>
    source.trim() ? 'own' : target.codeAbove() ? 'above' : 'none';
  return target.cellType === 'code' && !source.startsWith('%%markdown')
    ? completeSlashWord(textBeforeCursor, nearest, trans)
    : [];
}

/** Matches the slash words of requests to fix a mistake, as `aiserver/prompts/modes.py` reads them. */
const FIX_WORD = /^\s*[/／](?:(?:fix|debug)(?=[\s:：,，]|$)|修复|修正)/i;

/**
 * Return the request as it is sent. If it begins with `/fix` and the cell's last run failed, the
 * error is added, and the first problems that the check finds in the cell's code.
 */
export async function completedRequest(
  { target, suggestion }: GenerationModel,
  intent: string
): Promise<string> {
  const error = target.error();
  // While a suggestion is open, the request is about the suggestion, which has not run.
  if (
    !error ||
    suggestion ||
    !FIX_WORD.test(intent) ||
    intent.includes(error)
  ) {
    return intent;
  }
  const problems = (await target.check(target.source() ?? '')) ?? [];
  return [intent.trim(), ...problemLines(problems), error].join('\n');
}

/**
 * Return the slash words that the text before the cursor begins. A word also matches by its English
 * name. If the text is a whole slash word, return none. In an empty cell, the descriptions say which
 * words are about the cell above.
 */
export function completeSlashWord(
  textBeforeCursor: string,
  nearest: () => NearestCode,
  trans: TranslationBundle
): ICompletion[] {
  const match = /^\s*[/／]([^\s/／]*)$/.exec(textBeforeCursor);
  if (!match) {
    return [];
  }
  const typed = match[1].toLowerCase();
  const code = nearest();
  const above = modesOfCellAbove(trans);
  const labels = modeLabels(trans).flatMap(label => {
    const description = code === 'above' ? above.get(label.mode) : undefined;
    return code === 'own' || MODES_WITHOUT_CODE.includes(label.mode)
      ? [label]
      : description
        ? [{ ...label, description }]
        : [];
  });
  if (labels.some(({ slashWord }) => slashWord === `/${typed}`)) {
    return [];
  }
  return labels
    .filter(
      ({ mode, slashWord }) =>
        slashWord.startsWith(`/${typed}`) || mode.startsWith(typed)
    )
    .map(({ slashWord, description }) => ({
      start: 0,
      text: slashWord,
      description
    }));
}

/** Return the slash word for a text to remember, if the text before the cursor begins it. */
export function completeRemember(
  textBeforeCursor: string,
  trans: TranslationBundle
): ICompletion[] {
  const typed = /^\s*[/／]([^\s/／]*)$/.exec(textBeforeCursor)?.[1];
  const text = trans.__('/remember');
  const isBegun = [text, '/remember'].some(
    word => word !== `/${typed}` && word.startsWith(`/${typed}`)
  );
  const description = trans.__('Remember a sentence for all cells');
  return typed !== undefined && isBegun
    ? [{ start: 0, text, description }]
    : [];
}
