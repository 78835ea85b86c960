/** Renders code and its changes with the origin of each line, outputs, Markdown and whole steps. */
import { areNearChanges, changedLines } from '../../../diff/changedLines';
import type { Step } from '../../../api/types';
import type { IShownStep } from '../../../records/fold';
import { outputOf, lastRunOf } from '../../../records/runs';
import { changeTitles, isAnswerInWords } from '../../../labels/stepLabels';
import {
  schemaChangeParts,
  schemaChangeTitle
} from '../../../prompt/schemaChangeText';
import { IOrigin, IPageStep, MarkdownNode, originsOf } from '../model/replay';
import { type Child, chip, el } from './dom';
import { highlight } from './highlight';
import { authorOf, PageLabels } from './labels';

/** A change with fewer lines is never shortened. */
const LONG_CHANGE = 40;

interface ICodeOptions {
  readonly cell: number;
  readonly code: string;
  readonly origins: readonly IOrigin[];
  /** The code to compare with. If it is empty or equal to `code`, no change is shown. */
  readonly before?: string;
  readonly label: string;
  /** Whether to shorten a long change to the changed lines and those near them. */
  readonly isShort?: boolean;
}

type Line = {
  readonly kind: 'same' | 'removed' | 'added';
  /** The line's index in the code; the text of a removed line. */
  readonly content: number | string;
};

const TAGS_OF_LINES = { same: 'span', removed: 'del', added: 'ins' } as const;
const SIGNS = { same: '', removed: '-', added: '+' };

/** Render `code`, or the change from `before` to `code`. */
export function codeBlock(
  labels: PageLabels,
  options: ICodeOptions
): HTMLElement {
  const { cell, code, origins, label } = options;
  const { data, cells } = labels.replay;
  const language = cells[cell].type === 'code' ? data.language : '';
  const highlighted = highlight(code, language);
  let previousLabel = '';
  const lines = codeLines(options, highlighted.length).map(
    ({ kind, content }) => {
      const isRemoved = typeof content === 'string';
      const origin = isRemoved ? undefined : origins[content];
      const { short = '', full } = origin ? labels.origin(cell, origin) : {};
      // Of consecutive lines with the same label, only the first shows it.
      const originLabel = short === previousLabel ? '' : short;
      previousLabel = short;
      const text = isRemoved
        ? content
        : highlighted[content].map(([token, type]) =>
            type ? el('span', { class: `t-${type}` }, token) : token
          );
      return el(
        'span',
        { class: `line by-${origin?.author ?? 'none'}`, title: full },
        el('span.who', originLabel),
        el('span.sign', { 'aria-hidden': 'true' }, SIGNS[kind]),
        el(TAGS_OF_LINES[kind], { class: 'text' }, text, '\n')
      );
    }
  );
  return el('pre.code', { 'aria-label': label }, el('code', lines));
}

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

/** Null if a run has neither output nor error. */
export function outputBlock(
  labels: PageLabels,
  run: Step | null
): HTMLElement | null {
  const { trans, replay } = labels;
  const { text = '', truncated, images = [] } = (run && outputOf(run)) ?? {};
  const urls = images
    .map(({ sha256 }) => replay.data.pictures[sha256])
    .filter(Boolean);
  const error = run?.error;
  if (!text && !urls.length && !error) {
    return null;
  }
  return el(
    'div.output',
    { role: 'group', 'aria-label': trans.__('Output') },
    error && el('p.error', error),
    text && el('pre', text, truncated && ` ${trans.__('… (truncated)')}`),
    urls.map((src, index) =>
      el('img', { src, alt: trans.__('Output image %1', index + 1) })
    )
  );
}

/** These tags become HTML elements of the same name; others, except `h`, become `span`. */
const TAGS = [
  ...(['p', 'ul', 'ol', 'li', 'blockquote', 'pre', 'code', 'em'] as const),
  ...(['strong', 's', 'hr', 'br'] as const),
  ...(['table', 'thead', 'tbody', 'tr', 'th', 'td'] as const)
];

export function markdownBlock(nodes: readonly MarkdownNode[]): HTMLElement {
  return el('div.markdown', nodes.map(renderNode));
}

function renderNode(node: MarkdownNode): Node | string {
  if (typeof node === 'string') {
    return node;
  }
  // `h:2` is a heading's level, `ol:5` the number of a list's first item.
  const [tag, number] = node[0].split(':');
  const children = (node.slice(1) as MarkdownNode[]).map(renderNode);
  if (tag === 'h') {
    // A heading element would look like a heading of the page itself.
    return el('p', { class: `heading level-${Number(number)}` }, children);
  }
  const name = TAGS.find(allowed => allowed === tag) ?? 'span';
  const start = tag === 'ol' && number ? Number(number) : null;
  return el(name, { start }, children);
}

/**
 * Render a row of the list of steps: the request and the answer of a turn, the change of the code
 * from `before` (by default, the request's), and the output of `run` (by default, the last one).
 */
export function rowBlock(
  labels: PageLabels,
  cell: number,
  row: IShownStep,
  options: { before?: string; isShort?: boolean; run?: Step | null } = {}
): Child[] {
  const step = labels.replay.stepOf(cell, row);
  const { run = lastRunOf(row) } = options;
  return [
    step.kind === 'turn' && el('h4', labels.trans.__('Request')),
    step.title && el('blockquote.request', step.title),
    dataChanges(labels, step),
    step.kind !== 'run' && step.error && el('p.error', step.error),
    answerBlock(labels, step),
    !isAnswerInWords(step) && changeBlock(labels, cell, row, options),
    otherAnswers(labels, cell, step),
    outputBlock(labels, run)
  ];
}

function dataChanges({ trans }: PageLabels, step: IPageStep): Child {
  return step.schemaChanges?.map(change =>
    el(
      'p.data-change',
      schemaChangeTitle(change, trans),
      schemaChangeParts(change, trans).flatMap(({ tag, text }) => [
        ' ',
        el(tag, text)
      ])
    )
  );
}

function answerBlock({ trans }: PageLabels, step: IPageStep): Child {
  const { answer, explanation, kind } = step;
  return (
    kind === 'turn' &&
    explanation && [
      el('h4', trans.__('Answer')),
      answer ? markdownBlock(answer) : el('p.explanation', explanation)
    ]
  );
}

function changeBlock(
  labels: PageLabels,
  cell: number,
  row: IShownStep,
  options: { before?: string; isShort?: boolean }
): Child {
  const { trans, replay } = labels;
  const step = replay.stepOf(cell, row);
  const { code } = step;
  const { before = step.base ?? step.before, isShort } = options;
  if (isShort && before === code) {
    return el('p.dull', trans.__('No code changes.'));
  }
  const label =
    step.kind === 'turn' ? trans.__('Suggested code') : trans.__('Code');
  return [
    el('h4', label),
    changeTitles(row, trans).map(title => el('p.dull', title)),
    codeBlock(labels, {
      ...{ cell, code, before, label, isShort },
      origins: originsOf(step)
    })
  ];
}

/** The answers to a request that its step doesn't show, folded. */
function otherAnswers(
  labels: PageLabels,
  cell: number,
  step: IPageStep
): Child[] | undefined {
  const { trans } = labels;
  const label = trans.__('Suggested code');
  const before = step.base ?? step.before;
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
          codeBlock(labels, { cell, code, origins: [], before, label })
      )
    );
}

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
