/**
 * How steps are put into words: what happened, how it ended, who did it. Text only.
 */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { ModelInfo, Step } from '../../api/types';
import type { IShownStep } from '../model/cell/fold';
import { countOf, durationOf, runOf } from '../model/cell/runs';
import { durationText } from '../../labels/durations';
import { closeGaps } from '../../labels/spacing';
import {
  contributorName,
  contributorTone,
  editedBy
} from '../../labels/contributorLabels';
import { requestTitle } from '../../labels/requestTitle';
import { serverText } from '../../labels/serverMessages';

export type Tone = 'good' | 'bad' | 'model' | 'quiet';

/** A step's colour on the slider and in the list; `left` ones are no part of what came after. */
export type DotKind = 'model' | 'hand' | 'other' | 'good' | 'bad' | 'left';

export function dotKind(step: Step): DotKind {
  if (step.outcome === 'error') {
    return 'bad';
  }
  if (step.kind === 'run') {
    return step.outcome === 'done' ? 'good' : 'left';
  }
  if (step.outcome === 'rejected' || step.outcome === 'cancelled') {
    return 'left';
  }
  return contributorTone(step);
}

/** The code that a step is shown as a change of. */
export function comparedWith(step: Step): string {
  return step.base ?? step.before;
}

/** What happened, in a line: the request as it was made, or what the person did. */
export function stepTitle(step: Step, trans: TranslationBundle): string {
  switch (step.kind) {
    case 'turn':
      return requestTitle(step.title, trans);
    case 'start':
      return trans.__('Existing content');
    case 'edit':
      return editTitle(step, trans);
    case 'accept':
      return step.fromStep === undefined
        ? trans.__('Accepted an earlier answer')
        : trans.__('Accepted step %1', step.fromStep + 1);
    case 'restore':
      return step.fromStep === undefined
        ? trans.__('Restored an earlier version')
        : trans.__('Restored step %1', step.fromStep + 1);
    case 'run': {
      const count = countOf(step);
      return count === null ? trans.__('Run') : trans.__('Run [%1]', count);
    }
    case 'context_reset':
      return trans.__('New conversation');
    default:
      return lifeTitle(step, trans);
  }
}

function editTitle(step: Step, trans: TranslationBundle): string {
  switch (step.event) {
    case 'accept':
      return trans.__('Accepted with edits');
    case 'reject':
      return trans.__('Edited before rejecting');
    default:
      return editedBy(step, trans);
  }
}

/** What happened to the cell as a whole. */
function lifeTitle(step: Step, trans: TranslationBundle): string {
  const data = step.data ?? {};
  const type = step.kind === 'other' ? (step.event ?? '') : step.kind;
  switch (type) {
    case 'split': {
      const pieces = Array.isArray(data.pieces) ? data.pieces.length : 0;
      return pieces > 1
        ? trans.__('Split into %1 cells', pieces)
        : trans.__('Split');
    }
    case 'merge': {
      if (data.into) {
        return trans.__('Merged into another cell');
      }
      const parents = Array.isArray(data.parents) ? data.parents.length : 0;
      return parents > 1
        ? trans.__('Merged from %1 cells', parents)
        : trans.__('Merged with another cell');
    }
    case 'copy':
      return step.author === 'person'
        ? trans.__('Copied from another cell')
        : closeGaps(trans.__('Replaced by %1', contributorName(step, trans)));
    case 'delete':
      return trans.__('Deleted');
    case 'undelete':
      return trans.__('Restored after deletion');
    case 'type':
      return typeTitle(data.to, trans);
    case 'move':
      return moveTitle(data, trans);
    case 'recovered':
      return trans.__('Recovered from a damaged file');
    default:
      // An event of a later version: its own name says more than nothing.
      return type.replace(/_/g, ' ');
  }
}

function typeTitle(to: unknown, trans: TranslationBundle): string {
  switch (to) {
    case 'code':
      return trans.__('Changed to code cell');
    case 'markdown':
      return trans.__('Changed to Markdown cell');
    case 'raw':
      return trans.__('Changed to raw cell');
    default:
      return trans.__('Changed cell type');
  }
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

/** How the step ended, for a chip; null where there is nothing to say. */
export function outcome(
  step: Step,
  isNewestTurn: boolean,
  trans: TranslationBundle
): { text: string; tone: Tone } | null {
  switch (step.outcome) {
    case 'accepted':
      return { text: acceptedText(step, trans), tone: 'good' };
    case 'refined':
      return { text: trans.__('superseded'), tone: 'quiet' };
    case 'rejected':
      return { text: trans.__('rejected'), tone: 'quiet' };
    case 'error':
      // A run that failed is best told by its exception: "NameError".
      return {
        text:
          /^\w{1,40}(?=:|$)/.exec(runError(step))?.[0] ?? trans.__('failed'),
        tone: 'bad'
      };
    case 'cancelled':
      return { text: trans.__('stopped'), tone: 'quiet' };
    case 'open':
      return isNewestTurn
        ? { text: trans.__('pending'), tone: 'model' }
        : { text: trans.__('not used'), tone: 'quiet' };
    default:
      return step.kind === 'run'
        ? { text: trans.__('ran'), tone: 'good' }
        : null;
  }
}

/** "accepted", or how much of it was. */
function acceptedText(step: Step, trans: TranslationBundle): string {
  const { accepted, of } = (step.data?.hunks ?? {}) as Record<string, unknown>;
  return typeof accepted === 'number' && typeof of === 'number' && accepted < of
    ? trans.__('accepted %1 of %2', accepted, of)
    : trans.__('accepted');
}

/** How running the code of a step went, for a chip: how long it took, or what it failed by. */
export function runResult(
  run: Step,
  trans: TranslationBundle
): { text: string; tone: Tone } {
  const chip = outcome(run, false, trans);
  const took = durationOf(run);
  return run.outcome === 'done' && took !== null
    ? { text: durationText(took, trans), tone: 'good' }
    : (chip ?? { text: trans.__('ran'), tone: 'good' });
}

/** How the last run of a step's code went, and how often it was run; null if it never was. */
export function runsResult(
  step: IShownStep,
  trans: TranslationBundle
): { text: string; tone: Tone } | null {
  const run = runOf(step);
  const chip = run && outcome(run, false, trans);
  const count = step.runs?.length ?? 0;
  return chip && count > 1
    ? { ...chip, text: trans.__('%1 ×%2', chip.text, count) }
    : chip;
}

/** Where to find a source that was too large to be recorded. */
export function tooLargeText(
  characters: number,
  trans: TranslationBundle
): string {
  return trans.__(
    'This version (%1 characters) is too large for the history. Look for it in the notebook file or a backup.',
    characters
  );
}

/** What a step failed by: why there was no answer, in the person's language; or Python's words. */
export function problemOf(
  step: Step,
  trans: TranslationBundle
): string | undefined {
  if (step.missing !== undefined) {
    return tooLargeText(step.missing, trans);
  }
  return step.kind === 'turn' && step.error
    ? serverText(step.error, trans)
    : step.error;
}

function runError(step: Step): string {
  return (step.kind === 'run' && step.error) || '';
}

/** Who did it. */
export function author(
  step: Step,
  info: ModelInfo | null,
  trans: TranslationBundle
): { name: string; place: string } {
  if (step.author === 'person') {
    return { name: trans.__('you'), place: '' };
  }
  if (step.author !== 'model' || (!step.model && step.name)) {
    return { name: contributorName(step, trans), place: '' };
  }
  const id = step.model ?? '';
  const name =
    info?.label || id.slice(id.indexOf(':') + 1) || trans.__('model');
  if (!info) {
    return { name, place: '' };
  }
  const place = info.onThisMachine
    ? trans.__('on this machine')
    : trans.__('remote');
  return { name, place };
}
