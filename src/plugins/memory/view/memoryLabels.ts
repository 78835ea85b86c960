/** The texts of the memory view that depend on an entry, a proposal or a section. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { MemoryProposal, MemoryScope } from '../../../api/types';
import { removeChineseSpaces } from '../../../labels/serverText';
import { showTime } from '../../../labels/time';
import type { Note } from '../model/memoryModel';
import type { Section } from '../model/rows';

/** The maximum number of characters of an entry that a sentence quotes. */
const MAX_QUOTED = 60;

/** Return the tooltip of the sidebar's icon, which is its accessible name as well. */
export function panelCaption(
  waitingCount: number,
  trans: TranslationBundle
): string {
  return waitingCount
    ? trans._n(
        'Memory: %1 text waits for you',
        'Memory: %1 texts wait for you',
        waitingCount
      )
    : trans.__('Memory: what models should remember');
}

export function sectionTitle(
  section: Section,
  trans: TranslationBundle
): string {
  switch (section) {
    case 'waiting':
      return trans.__('Waiting for you');
    case 'new':
      return trans.__('New in this project’s memory');
    case 'project':
      return trans.__('For this project');
    case 'person':
      return trans.__('For me, in all projects');
    case 'declined':
      return trans.__('Not used');
  }
}

/** Return why the texts of a section are in it; empty if its title says enough. */
export function sectionHint(
  section: Section,
  trans: TranslationBundle
): string {
  switch (section) {
    case 'waiting':
      return trans.__('Nothing is remembered without your yes.');
    case 'new':
      return trans.__(
        'These came with the project’s files, or from another editor. They could tell models to do what you don’t want, so models get none of them before you have read it and chosen “Use”.'
      );
    default:
      return '';
  }
}

/** Return the label of the button that remembers a text. */
export function rememberLabel(
  scope: MemoryScope,
  trans: TranslationBundle
): string {
  return scope === 'project'
    ? trans.__('Remember for this project')
    : trans.__('Remember for me');
}

export function rememberTitle(
  scope: MemoryScope,
  trans: TranslationBundle
): string {
  return scope === 'project'
    ? trans.__(
        'In the project’s MEMORY.md: for everyone who works on the project'
      )
    : trans.__('In your own MEMORY.md: for you, in all projects');
}

/** Return how a proposal came about; empty if its source link says so. */
export function originText(
  { origin, source }: MemoryProposal,
  trans: TranslationBundle
): string {
  switch (origin) {
    case 'request':
      return source ? '' : trans.__('From a request');
    case 'import':
      return trans.__('From another program');
    default:
      return '';
  }
}

/** Return until when a proposal waits. */
export function expiryText(
  { expires_at }: MemoryProposal,
  trans: TranslationBundle,
  locale: string
): string {
  const stored = new Date(expires_at * 1000).toISOString();
  const { short, clock } = showTime(stored, new Date(), locale);
  const time = short === clock ? clock : `${short} ${clock}`;
  return removeChineseSpaces(trans.__('Waits until %1', time));
}

/** Return an entry's ISO date in the person's language; an invalid one as it is. */
export function dateText(date: string, locale: string): string {
  const day = new Date(`${date}T00:00`);
  return Number.isNaN(day.getTime())
    ? date
    : new Intl.DateTimeFormat(locale, { dateStyle: 'medium' }).format(day);
}

/** Return the sentence about the result of the last action. */
export function noteText(note: Note | null, trans: TranslationBundle): string {
  switch (note?.kind) {
    case 'remembered':
      return note.scope === 'project'
        ? trans.__('Remembered for this project.')
        : trans.__('Remembered for you.');
    case 'replaced':
      return trans.__(
        'Remembered instead of “%1”.',
        shortened(note.entry.text)
      );
    case 'forgotten':
      return trans.__('Forgotten: “%1”.', shortened(note.entry.text));
    case 'missing':
      return trans.__(
        'This text no longer waits: you decided about it in another window, or it has expired.'
      );
    default:
      return '';
  }
}

/** Return a text in quotation marks, shortened if it is long. */
export function quotedText(text: string, trans: TranslationBundle): string {
  return trans.__('“%1”', shortened(text));
}

function shortened(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text;
}

/** Return the sentence about a memory that can't be read. */
export function unreadableText(
  scope: MemoryScope,
  trans: TranslationBundle
): string {
  return scope === 'project'
    ? trans.__(
        'The project’s MEMORY.md is not used: it must be Markdown in UTF-8, of at most 256 KB, readable, and not a link.'
      )
    : trans.__(
        'Your MEMORY.md is not used: it must be Markdown in UTF-8, of at most 256 KB, readable, and not a link.'
      );
}
