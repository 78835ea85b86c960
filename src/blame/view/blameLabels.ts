/** Who wrote a line, in words and as a sign. Text only (P12). */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { BlameLine } from '../../api/types';
import type { IFailure } from '../../state/failure';
import type { IBlameWords } from './gutter';
import { failureText } from '../../labels/failureText';
import { contributorIcon, lineBy } from '../../labels/contributorLabels';
import { showTime } from '../../labels/time';

export function blameWords(
  trans: TranslationBundle,
  locale: string | undefined
): IBlameWords {
  return {
    title: trans.__('Authorship'),
    show: trans.__('Show step'),
    loading: trans.__('Loading authorship…'),
    sign: line => sign(line),
    describe: line => describe(line, trans, locale),
    summary: (source, lines) => summary(source, lines, trans)
  };
}

export function blameProblem(
  failure: IFailure,
  trans: TranslationBundle
): string {
  return failure.code === 'unknown'
    ? trans.__('Authorship could not be loaded. Try again.')
    : failureText(failure, trans);
}

/** A spark and the number of the turn, or the sign of another contributor. */
function sign(line: BlameLine): HTMLElement {
  const node = document.createElement('span');
  node.className = 'jp-AIServer-Blame-sign';
  const icon = contributorIcon(line);
  icon?.element({ container: node.appendChild(document.createElement('i')) });
  if (line.turnId !== undefined && line.author === 'model') {
    node.append(String(line.turnId));
  }
  return node;
}

function describe(
  line: BlameLine,
  trans: TranslationBundle,
  locale: string | undefined
): string {
  const when = line.timestamp
    ? showTime(line.timestamp, new Date(), locale).short
    : '';
  if (line.turnId === undefined || line.author !== 'model') {
    return [lineBy(line, trans), when].filter(Boolean).join(' · ');
  }
  const { turnId, intent = '', model = '' } = line;
  const who = trans.__('AI, request %1', turnId);
  const asked = intent.replace(/\s+/g, ' ').trim();
  const name = model.slice(model.indexOf(':') + 1);
  return [who, asked && trans.__('“%1”', asked), name, when]
    .filter(Boolean)
    .join(' · ');
}

/** Blank lines are nobody's. */
function summary(
  source: string,
  lines: readonly BlameLine[],
  trans: TranslationBundle
): string {
  const texts = source.split('\n');
  const written = lines.filter((_, at) => texts[at]?.trim());
  if (!written.length) {
    return trans.__('The cell is empty.');
  }
  const count = (which: (line: BlameLine) => boolean) =>
    written.filter(which).length;
  const parts: [number, (lines: number) => string][] = [
    [
      count(({ author }) => author === 'model'),
      lines => trans.__('%1 by AI', lines)
    ],
    [
      count(({ author }) => author === 'person'),
      lines => trans.__('%1 by hand', lines)
    ],
    [
      count(({ author }) => author === 'agent'),
      lines => trans.__('%1 by agents', lines)
    ],
    [
      count(({ author }) => author === 'program'),
      lines => trans.__('%1 by programs', lines)
    ],
    [
      count(({ existing }) => !!existing),
      lines => trans.__('%1 existing', lines)
    ],
    [
      count(({ author, existing }) => author === 'unknown' && !existing),
      lines => trans.__('%1 of unknown origin', lines)
    ]
  ];
  const present = parts
    .filter(([lines]) => lines)
    .map(([lines, say]) => say(lines));
  return trans.__('Lines: %1', present.join(trans._p('between names', ', ')));
}
