/** The texts of the page. Titles, outcomes and shares are those of the sidebar. Text only. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Step } from '../../api/types';
import { cellName } from '../../labels/cellNames';
import { contributorName } from '../../labels/contributorLabels';
import { durationText } from '../../labels/durations';
import { orderTitle } from '../../labels/momentLabels';
import { SHARE_KINDS, Shares, shareText } from '../../labels/shareLabels';
import { stepOutcome, stepTitle } from '../../labels/stepLabels';
import type { IShownStep } from '../../records/fold';
import { durationOf, runOf } from '../../records/runs';
import type { Author } from '../model/data';
import type { IOrigin, NotebookReplay } from '../model/replay';

export interface ILabel {
  readonly text: string;
  readonly tone: string;
}

export class PageLabels {
  /** @param locale - For times and numbers. */
  constructor(
    readonly replay: NotebookReplay,
    readonly trans: TranslationBundle,
    locale: string
  ) {
    this._time = new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'short'
    });
    this._percent = new Intl.NumberFormat(locale, { style: 'percent' });
  }

  /** The name of a cell at a moment. */
  cell(cell: number, moment: number): string {
    const { replay, trans } = this;
    const place = replay.presentAt(moment).findIndex(([at]) => at === cell);
    if (place >= 0 || replay.deletedAt(moment).includes(cell)) {
      return cellName(place + 1 || null, trans);
    }
    const first = replay.firstMoment(cell);
    if (first === null || first > moment) {
      return trans.__('Future cell');
    }
    return replay.cells[cell].isMerged
      ? trans.__('Merged cell')
      : trans.__('New cell');
  }

  /** The title of a step; a run that belongs to a row has its own. */
  step(cell: number, step: number): string {
    const { steps, rows } = this.replay.cells[cell];
    const row = rows[this.replay.rowOf(cell, step)];
    return stepTitle(
      steps[step].kind === 'run' ? steps[step] : row,
      this.trans
    );
  }

  /** A moment in one line. */
  moment(index: number): string {
    const { kind, steps } = this.replay.data.moments[index];
    const [first] = steps;
    if (!first || kind === 'order') {
      return orderTitle(this.trans);
    }
    const [cell, step] = first;
    return this.trans.__(
      '%1: %2',
      this.cell(cell, index),
      this.step(cell, step)
    );
  }

  /** The type of a cell. */
  type(type: string): string {
    const { trans } = this;
    return type === 'code'
      ? trans.__('Code')
      : type === 'markdown'
        ? trans.__('Markdown')
        : trans.__('Raw');
  }

  /** The outcome of a step; null if it has none. */
  outcome(cell: number, step: Step): ILabel | null {
    const { steps } = this.replay.cells[cell];
    const isNewest = !steps.some(
      ({ kind, index }) => kind === 'turn' && index > step.index
    );
    const outcome = stepOutcome(step, isNewest, this.trans);
    if (!outcome || step.kind !== 'run' || outcome.tone !== 'good') {
      return outcome;
    }
    const duration = durationOf(step);
    const took = duration === null ? '' : durationText(duration, this.trans);
    return { ...outcome, text: `✓ ${outcome.text} ${took}`.trim() };
  }

  /** The outcomes of a row and of its last run. */
  outcomes(cell: number, row: IShownStep): ILabel[] {
    const run = runOf(row);
    const count = row.runs?.length ?? 0;
    const own = row.kind === 'run' ? null : this.outcome(cell, row);
    const last = run && this.outcome(cell, run);
    const text = last?.text ?? '';
    return [
      own,
      last && count > 1
        ? { ...last, text: this.trans.__('%1 ×%2', text, count) }
        : last
    ].filter(label => label !== null);
  }

  /** The author of a step or a line. */
  contributor({ author, name }: { author: Author; name?: string }): string {
    switch (author) {
      case 'existing':
        return this.trans.__('existing');
      case 'person':
        return this.trans.__('by hand');
      case 'model':
        return name
          ? contributorName({ author, name }, this.trans)
          : this.trans.__('AI');
      default:
        return contributorName({ author, name }, this.trans);
    }
  }

  /** The origin of a line: in short, and in full with its request. */
  origin(cell: number, origin: IOrigin): { short: string; full: string } {
    const { trans, replay } = this;
    const { author, copiedFrom } = origin;
    const [source, index] = copiedFrom ?? [cell, origin.step];
    const step = index === null ? undefined : replay.cells[source].steps[index];
    const who =
      author === 'model' && step?.turnId !== undefined
        ? trans.__('AI, request %1', step.turnId)
        : origin.step === null
          ? trans.__('not recorded yet')
          : this.contributor({ author, name: step?.name });
    const parts = [who, copiedFrom ? trans.__('from another cell') : ''];
    const details = step && [
      step.model,
      this.time(step.timestamp),
      author === 'model' ? step.title : ''
    ];
    return {
      short: parts.filter(Boolean).join(' · '),
      full: [...parts, ...(details ?? [])].filter(Boolean).join('\n')
    };
  }

  /** A stored time; an invalid one is returned unchanged. */
  time(stored: string): string {
    const date = new Date(stored);
    return Number.isNaN(date.getTime()) ? stored : this._time.format(date);
  }

  percent(part: number, total: number): string {
    return total ? this._percent.format(part / total) : '–';
  }

  shares(share: Shares): string {
    const { trans } = this;
    return share.lines
      ? SHARE_KINDS.filter(kind => share[kind])
          .map(kind =>
            shareText(kind, this.percent(share[kind], share.lines), trans)
          )
          .join(trans._p('between names', ', '))
      : trans.__('No code yet.');
  }

  /** The sizes of the notebook and its history. */
  summary(): string {
    const { trans, replay } = this;
    const { moments, report } = replay.data;
    const { lastMoment } = replay;
    const present = replay.presentAt(lastMoment).length;
    const deleted = replay.deletedAt(lastMoment).length;
    const cells = [
      trans._n('%1 cell', '%1 cells', present),
      deleted ? trans.__('%1 deleted', deleted) : ''
    ];
    const requests = replay.cells
      .flatMap(({ steps }) => steps)
      .filter(({ kind }) => kind === 'turn').length;
    const { lines, byModel } = report.total;
    return [
      cells.filter(Boolean).join(trans._p('between names', ', ')),
      trans._n('%1 request', '%1 requests', requests),
      trans._n('%1 change', '%1 changes', moments.length),
      lines ? trans.__('%1 written by AI', this.percent(byModel, lines)) : '',
      `${this.time(moments[0].timestamp)} – ${this.time(moments[lastMoment].timestamp)}`
    ]
      .filter(Boolean)
      .join(' · ');
  }

  private readonly _time: Intl.DateTimeFormat;
  private readonly _percent: Intl.NumberFormat;
}

/** The author of a step; "existing" if it is from before anything was recorded. */
export function authorOf({
  kind,
  author
}: Pick<Step, 'kind' | 'author'>): Author {
  return kind === 'start' && author === 'unknown' ? 'existing' : author;
}
