/**
 * The texts of the status line below a cell's code, and the markers in the blame gutter. Requests
 * and names are shown as plain text, never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { BlameLine } from '../../../api/types';
import type { IFailure } from '../../../state/failure';
import { failureText } from '../../../labels/failureText';
import { lineContributorText } from '../../../labels/contributorLabels';
import { contributorIcon } from '../../../ui/contributorIcon';
import {
  SHARE_AUTHORS,
  SHARE_KINDS,
  shareText
} from '../../../labels/shareLabels';
import { showTime } from '../../../labels/time';

export interface IBlameLocale {
  readonly trans: TranslationBundle;
  /** The locale for showing times; undefined for the browser's locale. */
  readonly locale: string | undefined;
}

export function blameProblem(
  failure: IFailure,
  trans: TranslationBundle
): string {
  return failure.code === 'unknown'
    ? trans.__('Authorship could not be loaded. Try again.')
    : failureText(failure, trans);
}

export function createMarkerContent(line: BlameLine): HTMLElement {
  const node = document.createElement('span');
  node.className = 'jp-AIServer-Blame-marker';
  const icon = contributorIcon(line);
  icon?.element({ container: node.appendChild(document.createElement('i')) });
  if (line.turnId !== undefined && line.author === 'model') {
    node.append(String(line.turnId));
  }
  return node;
}

export function describeLine(
  line: BlameLine,
  { trans, locale }: IBlameLocale
): string {
  const timeText = line.timestamp
    ? showTime(line.timestamp, new Date(), locale).short
    : '';
  const { author, turnId, intent = '', model = '' } = line;
  const request = intent.replace(/\s+/g, ' ').trim();
  const parts =
    turnId === undefined || author !== 'model'
      ? [lineContributorText(line, trans), request && trans.__('“%1”', request)]
      : [
          trans.__('AI, request %1', turnId),
          request && trans.__('“%1”', request),
          // The id of a model is its provider's name, a colon and the model's name.
          model.slice(model.indexOf(':') + 1)
        ];
  return [...parts, timeText].filter(Boolean).join(' · ');
}

/** Describe how many lines each kind of contributor wrote. Blank lines aren't counted. */
export function summariseLines(
  source: string,
  lines: readonly BlameLine[],
  trans: TranslationBundle
): string {
  const sourceLines = source.split('\n');
  const countedLines = lines.filter((_, index) => sourceLines[index]?.trim());
  if (!countedLines.length) {
    return trans.__('The cell is empty.');
  }
  const authors = countedLines.map(({ author, existing }) =>
    existing ? 'existing' : author
  );
  const texts = SHARE_KINDS.flatMap(kind => {
    const share = authors.filter(author => author === SHARE_AUTHORS[kind]);
    return share.length ? [shareText(kind, share.length, trans)] : [];
  });
  return trans.__('Lines: %1', texts.join(trans._p('between names', ', ')));
}
