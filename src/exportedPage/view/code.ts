/** Renders code with the origin of each line, changes, outputs and whole steps. */
import { aroundChanges, changedLines } from '../../diff/changedLines';
import type { Step } from '../../api/types';
import type { IShownStep } from '../../records/fold';
import { outputOf, runOf } from '../../records/runs';
import { IOrigin, originsOf } from '../model/replay';
import { chip, el } from './dom';
import { highlight } from './highlight';
import { authorOf, PageLabels } from './labels';
import { markdownBlock } from './markdown';

/** A change with at least as many lines is shown without its unchanged parts, if `isShort`. */
const LONG_CHANGE = 40;

interface ICodeOptions {
  readonly cell: number;
  readonly code: string;
  readonly origins: readonly IOrigin[];
  /** The code to compare with; empty or equal code is not compared. */
  readonly before?: string;
  /** The name of the block. */
  readonly label: string;
  /** Whether to show only the changed parts of a long change. */
  readonly isShort?: boolean;
}

type Line = {
  readonly kind: 'same' | 'removed' | 'added';
  /** The index of a line of the code; else the removed text. */
  readonly at: number | string;
};

/** Render code, or the change from `before` to it. */
export function codeBlock(
  labels: PageLabels,
  options: ICodeOptions
): HTMLElement {
  const { cell, code, origins, label } = options;
  const { data, cells } = labels.replay;
  const language = cells[cell].type === 'code' ? data.language : '';
  const pieces = highlight(code, language);
  let previous = '';
  const rendered = codeLines(options, pieces.length).map(({ kind, at }) => {
    const origin = typeof at === 'number' ? origins[at] : undefined;
    const { short = '', full } = origin ? labels.origin(cell, origin) : {};
    // Consecutive lines of the same origin are labelled once.
    const name = short === previous ? '' : short;
    previous = short;
    const content =
      typeof at === 'number'
        ? pieces[at].map(([text, type]) =>
            type ? el('span', { class: `t-${type}` }, text) : text
          )
        : at;
    const tag = { same: 'span', removed: 'del', added: 'ins' } as const;
    const sign = { same: '', removed: '-', added: '+' };
    return el(
      'span',
      { class: `line by-${origin?.author ?? 'none'}`, title: full },
      el('span.who', name),
      el('span.sign', { 'aria-hidden': 'true' }, sign[kind]),
      el(tag[kind], { class: 'text' }, content, '\n')
    );
  });
  return el('pre.code', { 'aria-label': label }, el('code', rendered));
}

function codeLines(
  { code, before, isShort }: ICodeOptions,
  count: number
): Line[] {
  if (!before || before === code) {
    return Array.from({ length: count }, (_, at) => ({ kind: 'same', at }));
  }
  const changes = changedLines(before, code);
  let next = 0;
  const lines = changes.map(({ kind, from, to }) => ({
    kind,
    at: kind === 'removed' ? before.slice(from, to) : next++
  }));
  if (!isShort || lines.length < LONG_CHANGE) {
    return lines;
  }
  const isShown = aroundChanges(changes);
  return lines.filter((_, at) => isShown[at]);
}

/** Render the output of a run; null if there is none. */
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

/** Render a row: request and answer, change and output. */
export function rowBlock(
  labels: PageLabels,
  cell: number,
  row: IShownStep,
  more: { against?: string; isShort?: boolean; run?: Step | null } = {}
): (HTMLElement | null)[] {
  const { trans, replay } = labels;
  const step = replay.stepOf(cell, row);
  const isTurn = step.kind === 'turn';
  const before = more.against ?? step.base ?? step.before;
  const label = isTurn ? trans.__('Suggested code') : trans.__('Code');
  const { explanation, answer } = step;
  return [
    ...(isTurn
      ? [el('h4', trans.__('Request')), el('blockquote.request', step.title)]
      : []),
    step.error && step.kind !== 'run' ? el('p.error', step.error) : null,
    ...(isTurn && explanation
      ? [
          el('h4', trans.__('Answer')),
          answer ? markdownBlock(answer) : el('p.explanation', explanation)
        ]
      : []),
    ...(more.isShort && before === step.code
      ? [el('p.dull', trans.__('No code changes.'))]
      : [
          el('h4', label),
          codeBlock(labels, {
            cell,
            code: step.code,
            origins: originsOf(step),
            before,
            label,
            isShort: more.isShort
          })
        ]),
    outputBlock(labels, more.run === undefined ? runOf(row) : more.run)
  ];
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
    labels.outcomes(cell, row).map(({ text, tone }) => chip(text, tone))
  );
}
