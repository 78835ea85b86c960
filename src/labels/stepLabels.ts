import type { TranslationBundle } from '@jupyterlab/translation';

import type { ModelInfo, Step } from '../api/types';
import type { IShownStep } from '../records/fold';
import { durationOf, executionCountOf, shapeOf } from '../records/runs';
import { durationText } from './formats';
import { removeChineseSpaces, sentenceText, serverText } from './serverText';
import {
  contributorName,
  contributorTone,
  editedBy
} from './contributorLabels';
import { requestTitle } from './requestTitle';

export type Tone = 'good' | 'bad' | 'model' | 'quiet';

/** `unused` is for rejected or stopped answers and stopped runs. */
export type DotKind =
  'model' | 'hand' | 'agent' | 'other' | 'good' | 'bad' | 'unused';

export function dotKind(step: Step): DotKind {
  if (step.outcome === 'error') {
    return 'bad';
  }
  if (step.kind === 'run') {
    return step.outcome === 'done' ? 'good' : 'unused';
  }
  if (step.outcome === 'rejected' || step.outcome === 'cancelled') {
    return 'unused';
  }
  return contributorTone(step);
}

export function isAnswerInWords({
  kind,
  outcome
}: Pick<TitleFields, 'kind' | 'outcome'>): boolean {
  return kind === 'turn' && outcome === 'done';
}

export function baseCode(step: Step): string {
  return step.base ?? step.before;
}

type TitleFields = Pick<Step, 'author' | 'title' | 'outcome'> &
  Partial<Pick<Step, 'name' | 'event' | 'data' | 'error' | 'fromStep'>> & {
    kind: Step['kind'] | 'order';
  };

/** The request of a turn, or a description of the event in one line. */
export function stepTitle(step: TitleFields, trans: TranslationBundle): string {
  switch (step.kind) {
    case 'turn':
      return requestTitle(step.title, trans);
    case 'start':
      return trans.__('Existing content');
    case 'edit':
      return editTitle(step, trans);
    case 'accept':
      return acceptTitle(step, trans);
    case 'restore':
      return step.fromStep === undefined
        ? trans.__('Restored an earlier version')
        : trans.__('Restored step %1', step.fromStep + 1);
    case 'run':
      return runTitle(step, trans);
    case 'context_reset':
      return trans.__('New conversation');
    default:
      return cellEventTitle(step, trans);
  }
}

function acceptTitle(
  { data, fromStep }: TitleFields,
  trans: TranslationBundle
): string {
  const hunks = acceptedHunks(data);
  if (hunks) {
    return trans.__('Accepted %1 of %2 changes', hunks.accepted, hunks.total);
  }
  if (data?.part || data?.hunks) {
    return trans.__('Accepted a change');
  }
  return fromStep === undefined
    ? trans.__('Accepted an earlier answer')
    : trans.__('Accepted step %1', fromStep + 1);
}

function runTitle(step: TitleFields, trans: TranslationBundle): string {
  const count = executionCountOf(step);
  return count === null ? trans.__('Run') : trans.__('Run [%1]', count);
}

function editTitle(step: TitleFields, trans: TranslationBundle): string {
  if (typeof step.data?.restored_to === 'string') {
    return trans.__('Restored with the notebook');
  }
  const { notebook } = (step.data?.past_answer ?? {}) as Record<
    string,
    unknown
  >;
  if (typeof notebook === 'string') {
    return trans.__('Inserted from %1', notebook);
  }
  if (step.event === 'accept') {
    const corrections = step.data?.corrections;
    if (!isCorrection(step)) {
      return trans.__('Accepted with edits');
    }
    if (Array.isArray(corrections) && corrections.length) {
      const texts = corrections.join(trans._p('between names', ', '));
      return trans.__('Edited by AI Server: %1', texts);
    }
  }
  return step.event === 'reject'
    ? trans.__('Edited before rejecting')
    : editedBy(step, trans);
}

export function isCorrection({
  author,
  name
}: Pick<TitleFields, 'author' | 'name'>): boolean {
  return author === 'program' && name === 'AI Server';
}

export function changeTitles(
  { parts = [] }: IShownStep,
  trans: TranslationBundle
): string[] {
  const changes = parts.slice(1).filter(({ kind }) => kind === 'edit');
  return changes.map(change => stepTitle(change, trans));
}

function cellEventTitle(step: TitleFields, trans: TranslationBundle): string {
  const { author, data = {}, event = '', kind } = step;
  const type = kind === 'other' ? event : kind;
  const titles = new Map([
    ['split', splitTitle(data, trans)],
    ['merge', mergeTitle(data, trans)],
    [
      'copy',
      author === 'person'
        ? trans.__('Copied from another cell')
        : removeChineseSpaces(
            trans.__('Replaced by %1', contributorName(step, trans))
          )
    ],
    ['delete', trans.__('Deleted')],
    ['undelete', trans.__('Restored after deletion')],
    ['type', typeTitle(data.to, trans)],
    ['move', moveTitle(data, trans)],
    ['recovered', trans.__('Recovered from a damaged file')],
    [
      'found',
      data.sign === 'similar'
        ? trans.__('Found again by a similar content')
        : trans.__('Found again by its content')
    ]
  ]);
  // A later version of AI Server can have recorded an event of another type.
  return titles.get(type) ?? type.replace(/_/g, ' ');
}

function splitTitle(
  { pieces }: Record<string, unknown>,
  trans: TranslationBundle
): string {
  return Array.isArray(pieces) && pieces.length > 1
    ? trans.__('Split into %1 cells', pieces.length)
    : trans.__('Split');
}

function mergeTitle(
  { into, parents }: Record<string, unknown>,
  trans: TranslationBundle
): string {
  if (into) {
    return trans.__('Merged into another cell');
  }
  return Array.isArray(parents) && parents.length > 1
    ? trans.__('Merged from %1 cells', parents.length)
    : trans.__('Merged with another cell');
}

function typeTitle(to: unknown, trans: TranslationBundle): string {
  const titles = new Map<unknown, string>([
    ['code', trans.__('Changed to code cell')],
    ['markdown', trans.__('Changed to Markdown cell')],
    ['raw', trans.__('Changed to raw cell')]
  ]);
  return titles.get(to) ?? trans.__('Changed cell type');
}

function moveTitle(
  { from, to }: Record<string, unknown>,
  trans: TranslationBundle
): string {
  if (typeof from !== 'number' || typeof to !== 'number' || from === to) {
    return trans.__('Moved');
  }
  return to < from ? trans.__('Moved up') : trans.__('Moved down');
}

export function stepOutcome(
  step: TitleFields,
  trans: TranslationBundle
): { text: string; tone: Tone } | null {
  const quiet: Partial<Record<Step['outcome'], string>> = {
    refined: trans.__('superseded'),
    rejected: trans.__('rejected'),
    repeated: trans.__('asked again'),
    cancelled: trans.__('stopped'),
    unused: trans.__('not used')
  };
  const text = isAnswerInWords(step)
    ? trans.__('answered')
    : quiet[step.outcome];
  if (text) {
    return { text, tone: 'quiet' };
  }
  switch (step.outcome) {
    case 'accepted':
      return { text: acceptedText(step, trans), tone: 'good' };
    case 'error':
      return { text: failedText(step, trans), tone: 'bad' };
    case 'open':
      return { text: trans.__('pending'), tone: 'model' };
    default:
      return step.kind === 'run'
        ? { text: trans.__('ran'), tone: 'good' }
        : null;
  }
}

/** For a run, the name of its exception, such as "NameError". */
function failedText(
  { error = '', kind }: TitleFields,
  trans: TranslationBundle
): string {
  const name = kind === 'run' ? /^\w{1,40}(?=:|$)/.exec(error) : null;
  return name?.[0] ?? trans.__('failed');
}

/** Null if the accepted hunks weren't recorded. */
function acceptedHunks(data: TitleFields['data']) {
  const hunks = (data?.hunks ?? {}) as Record<string, unknown>;
  const { accepted, of: total } = hunks;
  return typeof accepted === 'number' && typeof total === 'number'
    ? { accepted, total }
    : null;
}

/** "accepted" or, if not all hunks were, "accepted 2 of 3" */
function acceptedText(step: TitleFields, trans: TranslationBundle): string {
  const hunks = acceptedHunks(step.data);
  return hunks && hunks.accepted < hunks.total
    ? trans.__('accepted %1 of %2', hunks.accepted, hunks.total)
    : trans.__('accepted');
}

export function runOutcome(
  run: Step,
  trans: TranslationBundle
): { text: string; tone: Tone } {
  const chip = stepOutcome(run, trans);
  const duration = durationOf(run);
  const shape = shapeOf(run);
  const texts = [
    durationText(duration ?? 0, trans),
    // Rows and columns.
    ...(shape ? [`${shape[0]} × ${shape[1]}`] : [])
  ];
  return run.outcome === 'done' && duration !== null
    ? { text: texts.join(' · '), tone: 'good' }
    : (chip ?? { text: trans.__('ran'), tone: 'good' });
}

/** The chip of a step's last run; null without one. If the last runs ended alike: "ran ×3". */
export function lastRunOutcome(
  step: IShownStep,
  trans: TranslationBundle,
  outcomeOf: (run: Step) => { text: string; tone: Tone } | null = run =>
    stepOutcome(run, trans)
): { text: string; tone: Tone } | null {
  const runs = [...(step.runs ?? [])].reverse();
  const chip = runs[0] ? outcomeOf(runs[0]) : null;
  const name = runs[0] && stepOutcome(runs[0], trans)?.text;
  const end = runs.findIndex(run => stepOutcome(run, trans)?.text !== name);
  const count = end < 0 ? runs.length : end;
  return chip && count > 1
    ? { ...chip, text: trans.__('%1 ×%2', chip.text, count) }
    : chip;
}

/** Shown instead of a source that was too large to be recorded. */
export function tooLargeText(
  characters: number,
  trans: TranslationBundle
): string {
  return trans.__(
    'This version (%1 characters) is too large for the history. Look for it in the notebook file or a backup.',
    characters
  );
}

export function errorText(
  step: Step,
  trans: TranslationBundle
): string | undefined {
  if (step.missing !== undefined) {
    return tooLargeText(step.missing, trans);
  }
  if (step.errorText) {
    return serverText(step.errorText, trans);
  }
  return step.kind === 'turn' && step.error
    ? sentenceText(step.error, trans)
    : step.error;
}

export function stepAuthor(
  step: Step,
  info: ModelInfo | null,
  trans: TranslationBundle
): { name: string; location: string } {
  if (step.author === 'person') {
    return { name: trans.__('you'), location: '' };
  }
  if (step.author !== 'model' || (!step.model && step.name)) {
    return { name: contributorName(step, trans), location: '' };
  }
  const id = step.model ?? '';
  const name =
    info?.label || id.slice(id.indexOf(':') + 1) || trans.__('model');
  const location = info?.onThisMachine
    ? trans.__('on this computer')
    : trans.__('remote');
  return { name, location: info ? location : '' };
}
