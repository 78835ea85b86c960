/** The texts and marks for the contributors of lines. Nothing is rendered as HTML. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { BlameLine } from '../../api/types';
import type { IFailure } from '../../state/failure';
import { failureText } from '../../labels/failureText';
import { lineBy } from '../../labels/contributorLabels';
import { contributorIcon } from '../../ui/contributorIcon';
import { SHARE_KINDS, shareText } from '../../labels/shareLabels';
import { showTime } from '../../labels/time';

export interface IBlameLocale {
  readonly trans: TranslationBundle;
  /** The locale of times; undefined for the browser's. */
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

/** The contributor's icon, followed by the turn's number for a model. */
export function createMark(line: BlameLine): HTMLElement {
  const node = document.createElement('span');
  node.className = 'jp-AIServer-Blame-sign';
  const icon = contributorIcon(line);
  icon?.element({ container: node.appendChild(document.createElement('i')) });
  if (line.turnId !== undefined && line.author === 'model') {
    node.append(String(line.turnId));
  }
  return node;
}

/** Describe the contributor, the request and the time of a line. */
export function describe(
  line: BlameLine,
  { trans, locale }: IBlameLocale
): string {
  const when = line.timestamp
    ? showTime(line.timestamp, new Date(), locale).short
    : '';
  if (line.turnId === undefined || line.author !== 'model') {
    return [lineBy(line, trans), when].filter(Boolean).join(' · ');
  }
  const { turnId, intent = '', model = '' } = line;
  const contributor = trans.__('AI, request %1', turnId);
  const request = intent.replace(/\s+/g, ' ').trim();
  const name = model.slice(model.indexOf(':') + 1);
  return [contributor, request && trans.__('“%1”', request), name, when]
    .filter(Boolean)
    .join(' · ');
}

const SHARES = {
  model: 'byModel',
  person: 'byPerson',
  agent: 'byAgent',
  program: 'byProgram',
  unknown: 'byUnknown'
} as const;

/** Count the lines of each contributor; blank lines don't count. */
export function summary(
  source: string,
  lines: readonly BlameLine[],
  trans: TranslationBundle
): string {
  const texts = source.split('\n');
  const written = lines.filter((_, at) => texts[at]?.trim());
  if (!written.length) {
    return trans.__('The cell is empty.');
  }
  const kinds = written.map(({ author, existing }) =>
    existing ? 'existing' : SHARES[author]
  );
  const present = SHARE_KINDS.filter(kind => kinds.includes(kind)).map(kind =>
    shareText(kind, kinds.filter(other => other === kind).length, trans)
  );
  return trans.__('Lines: %1', present.join(trans._p('between names', ', ')));
}
