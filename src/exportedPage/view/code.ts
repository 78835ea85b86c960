/**
 * Functions that render code and changes of code (with the origin of each line), the outputs of
 * runs, and whole steps.
 */
import { areNearChanges, changedLines } from '../../diff/changedLines';
import type { Step } from '../../api/types';
import type { IShownStep } from '../../records/fold';
import { outputOf, lastRunOf } from '../../records/runs';
import { changeTitles, isAnswerInWords } from '../../labels/stepLabels';
import {
  schemaChangeParts,
  schemaChangeTitle
} from '../../prompt/schemaChangeText';
import type { IPageStep } from '../model/data';
import { IOrigin, originsOf } from '../model/replay';
import { type Child, chip, el } from './dom';
import { highlight } from './highlight';
import { authorOf, PageLabels } from './labels';
import { markdownBlock } from './markdown';

/** A change with fewer lines than this, changed or not, is never shortened; see `isShort`. */
const LONG_CHANGE = 40;

interface ICodeOptions {
  readonly cell: number;
  readonly code: string;
  readonly origins: readonly IOrigin[];
  /**
   * The code with which `code` is compared. If it is empty or equal to `code`, no change is shown.
   */
  readonly before?: string;
  /** The accessible name of the block. */
  readonly label: string;
  /** Whether to shorten a long change to the changed lines and the lines near them. */
  readonly isShort?: boolean;
}

type Line = {
  readonly kind: 'same' | 'removed' | 'added';
  /** The index of the line in the code; for a removed line, its text. */
  readonly content: number | string;
};

/** Render `code`, or the change from `before` to `code`. */
export function codeBlock(
  labels: PageLabels,
  options: ICodeOptions
): HTMLElement {
  const { cell, code, origins, label } = options;
  const { data, cells } = labels.replay;
  const language = cells[cell].type === 'code' ? data.language : '';
  const highlightedLines = highlight(code, language);
  const lines = codeLines(options, highlightedLines.length);
  let previousLabel = '';
  const rendered = lines.map(({ kind, content }) => {
    const origin = typeof content === 'number' ? origins[content] : undefined;
    const { short = '', full } = origin ? labels.origin(cell, origin) : {};
    // If consecutive lines have the same label, show it only at the first of them.
    const originLabel = short === previousLabel ? '' : short;
    previousLabel = short;
    const children =
      typeof content === 'number'
        ? highlightedLines[content].map(([text, type]) =>
            type ? el('span', { class: `t-${type}` }, text) : text
          )
        : content;
    const tag = { same: 'span', removed: 'del', added: 'ins' } as const;
    const sign = { same: '', removed: '-', added: '+' };
    return el(
      'span',
      { class: `line by-${origin?.author ?? 'none'}`, title: full },
      el('span.who', originLabel),
      el('span.sign', { 'aria-hidden': 'true' }, sign[kind]),
      el(tag[kind], { class: 'text' }, children, '\n')
    );
  });
  return el('pre.code', { 'aria-label': label }, el('code', rendered));
}

/** Return the lines to show: the lines of the code and, in a change, also the removed lines. */
function codeLines(
  { code, before, isShort }: ICodeOptions,
  lineCount: number
): Line[] {
  if (!before || before === code) {
    return Array.from({ length: lineCount }, (_, index) => ({
      kind: 'same',
      content: index
    }));
  }
  const changes = changedLines(before, code);
  let nextIndex = 0;
  const lines = changes.map(({ kind, from, to }) => ({
    kind,
    content: kind === 'removed' ? before.slice(from, to) : nextIndex++
  }));
  if (!isShort || lines.length < LONG_CHANGE) {
    return lines;
  }
  const isShown = areNearChanges(changes);
  return lines.filter((_, index) => isShown[index]);
}

/** Render the output and error of a run. Return null without a run, or if the run has neither. */
export function outputBlock(
  labels: PageLabels,
  run: Step | null
): HTMLElement | null {
  const { trans, replay } = labels;
  const { text = '', truncated, images = [] } = (run && outputOf(run)) ?? {};
  const urls = images
    .map(({ sha256 }) => replay.data.pictures[sha256])
    .filter(Boolean);
  if (!text && !urls.length && !run?.error) {
    return null;
  }
  return el(
    'div.output',
    { role: 'group', 'aria-label': trans.__('Output') },
    run?.error && el('p.error', run.error),
    text && el('pre', text, truncated && ` ${trans.__('… (truncated)')}`),
    urls.map((src, index) =>
      el('img', { src, alt: trans.__('Output image %1', index + 1) })
    )
  );
}

/**
 * Render a row of the list of steps. If the row shows a turn, the request, the changes of its
 * DataFrames and the answer come first. The code change comes next, except for an answer in words. The output comes last.
 *
 * @param options - `before` is the code with which the step's code is compared. By default, it is
 * the code that was sent with the request or, for a step without a request, the code before the
 * step. `run` is the run whose output is shown; by default, the row's last run.
 */
export function rowBlock(
  labels: PageLabels,
  cell: number,
  row: IShownStep,
  options: { before?: string; isShort?: boolean; run?: Step | null } = {}
): Child[] {
  const { trans, replay } = labels;
  const step = replay.stepOf(cell, row);
  const isTurn = step.kind === 'turn';
  const before = options.before ?? step.base ?? step.before;
  const label = isTurn ? trans.__('Suggested code') : trans.__('Code');
  const { explanation, answer } = step;
  const isUnchanged = options.isShort && before === step.code;
  return [
    isTurn && [
      el('h4', trans.__('Request')),
      el('blockquote.request', step.title)
    ],
    step.schemaChanges?.map(change =>
      el(
        'p.data-change',
        schemaChangeTitle(change, trans),
        schemaChangeParts(change, trans).flatMap(({ tag, text }) => [
          ' ',
          el(tag, text)
        ])
      )
    ),
    step.kind !== 'run' && step.error && el('p.error', step.error),
    isTurn &&
      explanation && [
        el('h4', trans.__('Answer')),
        answer ? markdownBlock(answer) : el('p.explanation', explanation)
      ],
    isAnswerInWords(step)
      ? null
      : isUnchanged
        ? el('p.dull', trans.__('No code changes.'))
        : [
            el('h4', label),
            changeTitles(row, trans).map(title => el('p.dull', title)),
            codeBlock(labels, {
              cell,
              code: step.code,
              origins: originsOf(step),
              before,
              label,
              isShort: options.isShort
            })
          ],
    otherAnswers(labels, cell, step),
    outputBlock(
      labels,
      options.run === undefined ? lastRunOf(row) : options.run
    )
  ];
}

/** Render the answers to a request that its step doesn't show, folded. */
function otherAnswers(
  labels: PageLabels,
  cell: number,
  step: IPageStep
): Child[] | undefined {
  const { trans } = labels;
  const label = trans.__('Suggested code');
  return step.attempts
    ?.filter(({ turnId }) => turnId !== step.turnId)
    .map(({ code, model, outcome, error, explanation }) =>
      el(
        'details',
        el('summary', trans.__('Another answer'), model && ` · ${model}`),
        error && el('p.error', error),
        explanation && el('p.explanation', explanation),
        code &&
          outcome !== 'done' &&
          codeBlock(labels, {
            cell,
            code,
            origins: [],
            before: step.base ?? step.before,
            label
          })
      )
    );
}

/** Render the contributor, time, model and outcomes of a row. */
export function rowFacts(
  labels: PageLabels,
  cell: number,
  row: IShownStep
): HTMLElement {
  const step = labels.replay.stepOf(cell, row);
  const author = authorOf(step);
  const icon = { model: '✦ ', person: '✎ ' }[author as string] ?? '';
  const name = labels.contributor({ author, name: step.name });
  return el(
    'p.meta',
    chip(`${icon}${name}`, author),
    el('span', labels.time(step.timestamp)),
    step.model && el('span.model-name', step.model),
    labels.outcomes(row).map(({ text, tone }) => chip(text, tone))
  );
}
