/** The texts of the page. Titles, outcomes and shares have the same texts as in the sidebar. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { Step } from '../../../api/types';
import { cellName } from '../../../labels/cellNames';
import { contributorName } from '../../../labels/contributorLabels';
import { durationText } from '../../../labels/formats';
import { orderTitle } from '../../../labels/momentLabels';
import { SHARE_KINDS, Shares, shareText } from '../../../labels/shareLabels';
import {
  lastRunOutcome,
  stepOutcome,
  stepTitle,
  type Tone
} from '../../../labels/stepLabels';
import type { IShownStep } from '../../../records/fold';
import { durationOf } from '../../../records/runs';
import type { Author, IOrigin, NotebookReplay } from '../model/replay';

interface ILabel {
  readonly text: string;
  readonly tone: Tone;
}

/** Each method is named after what it describes: `cell` returns a name for a cell. */
export class PageLabels {
  /** @param locale - The locale of times and numbers. */
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

  cell(cell: number, moment: number): string {
    const { replay, trans } = this;
    const present = replay.presentAt(moment);
    const position = present.findIndex(([index]) => index === cell);
    if (position >= 0) {
      return cellName(position + 1, trans);
    }
    if (replay.deletedAt(moment).includes(cell)) {
      return cellName(null, trans);
    }
    const firstMoment = replay.firstMoment(cell);
    if (firstMoment === null || firstMoment > moment) {
      return trans.__('Future cell');
    }
    return replay.cells[cell].isMerged
      ? trans.__('Merged cell')
      : trans.__('New cell');
  }

  /** A run's own title; for any other step, the title of the row that shows it. */
  step(cell: number, step: number): string {
    const { steps, rows } = this.replay.cells[cell];
    const row = rows[this.replay.rowOf(cell, step)];
    return stepTitle(
      steps[step].kind === 'run' ? steps[step] : row,
      this.trans
    );
  }

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

  type(type: string): string {
    const { trans } = this;
    return type === 'code'
      ? trans.__('Code')
      : type === 'markdown'
        ? trans.__('Markdown')
        : trans.__('Raw');
  }

  /** The outcome of a step, with the time of a run: “✓ ran 41 ms”; null if it has none. */
  outcome(step: Step): ILabel | null {
    const outcome = stepOutcome(step, this.trans);
    if (!outcome || step.kind !== 'run' || outcome.tone !== 'good') {
      return outcome;
    }
    const duration = durationOf(step);
    const time = duration === null ? '' : durationText(duration, this.trans);
    return { ...outcome, text: `✓ ${outcome.text} ${time}`.trim() };
  }

  outcomes(row: IShownStep): ILabel[] {
    return [
      row.kind === 'run' ? null : this.outcome(row),
      lastRunOutcome(row, this.trans, run => this.outcome(run))
    ].filter(label => label !== null);
  }

  contributor({ author, name }: { author: Author; name?: string }): string {
    const { trans } = this;
    if (author === 'existing') {
      return trans.__('existing');
    }
    if (author === 'person') {
      return trans.__('by hand');
    }
    return author === 'model' && !name
      ? trans.__('AI')
      : contributorName({ author, name }, trans);
  }

  /** The origin of a line, `short`, and with its time, model and request. */
  origin(cell: number, origin: IOrigin): { short: string; full: string } {
    const { trans, replay } = this;
    const { author, copiedFrom } = origin;
    const [originCell, index] = copiedFrom ?? [cell, origin.step];
    const step =
      index === null ? undefined : replay.cells[originCell].steps[index];
    const authorName =
      author === 'model' && step?.turnId !== undefined
        ? trans.__('AI, request %1', step.turnId)
        : origin.step === null
          ? trans.__('not recorded yet')
          : this.contributor({ author, name: step?.name });
    const origins = [
      authorName,
      copiedFrom ? trans.__('from another cell') : ''
    ];
    const details = step && [step.model, this.time(step.timestamp), step.title];
    return {
      short: origins.filter(Boolean).join(' · '),
      full: [...origins, ...(details ?? [])].filter(Boolean).join('\n')
    };
  }

  /** An invalid time is returned unchanged. */
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

  summary(): string {
    const { trans, replay } = this;
    const { moments, report } = replay.data;
    const { lastMoment } = replay;
    const presentCount = replay.presentAt(lastMoment).length;
    const deletedCount = replay.deletedAt(lastMoment).length;
    const cells = [
      trans._n('%1 cell', '%1 cells', presentCount),
      deletedCount ? trans.__('%1 deleted', deletedCount) : ''
    ];
    const requestCount = replay.cells
      .flatMap(({ steps }) => steps)
      .filter(({ kind }) => kind === 'turn').length;
    const { lines, byModel } = report.total;
    return [
      cells.filter(Boolean).join(trans._p('between names', ', ')),
      trans._n('%1 request', '%1 requests', requestCount),
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

/** For existing content, "existing". */
export function authorOf({
  kind,
  author
}: Pick<Step, 'kind' | 'author'>): Author {
  return kind === 'start' && author === 'unknown' ? 'existing' : author;
}
