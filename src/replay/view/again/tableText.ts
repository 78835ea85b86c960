import type { TranslationBundle } from '@jupyterlab/translation';

import type { IRunResult } from '../../../kernel/freshKernel';
import { countText, durationText } from '../../../labels/formats';
import { requestTitle } from '../../../labels/requestTitle';
import { costText } from '../../../prompt/usageLabels';
import type { IFigures } from '../../model/again/table';

export interface IColumn {
  readonly name: 'problems' | 'run' | 'tokens' | 'time' | 'cost';
  readonly title: string;
  readonly description: string;
}

export interface ILine {
  readonly name: string;
  readonly figures: IFigures | null;
}

/** The two lines for a request, or for all of them. */
export interface IGroup {
  readonly title: string;
  readonly turnId: number | null;
  readonly note: string;
  readonly lines: readonly ILine[];
}

/** Return the columns. Those without any value are left out, except for the first one. */
export function tableColumns(
  lines: readonly ILine[],
  trans: TranslationBundle
): IColumn[] {
  const columns: IColumn[] = [
    {
      name: 'problems',
      title: trans.__('Problems'),
      description: trans.__('Problems that the check finds in the kernel')
    },
    {
      name: 'run',
      title: trans.__('Run'),
      description: trans.__(
        'The original answer: its last run. The new one: its run in a fresh kernel.'
      )
    },
    {
      name: 'tokens',
      title: trans.__('Tokens'),
      description: trans.__('Tokens read and written')
    },
    {
      name: 'time',
      title: trans.__('Time'),
      description: trans.__('Until the end of the answer')
    },
    { name: 'cost', title: trans.__('Cost'), description: trans.__('Cost') }
  ];
  return columns.filter(
    ({ name }) =>
      name === 'problems' ||
      lines.some(({ figures }) => figures && cellText(name, figures, trans))
  );
}

/** Return the text of one figure; empty if it isn't known. */
export function cellText(
  name: IColumn['name'],
  figures: IFigures,
  trans: TranslationBundle
): string {
  const { problems, inputTokens, outputTokens, totalMs, cost, partial } =
    figures;
  const atLeast = (names: readonly (keyof IFigures)[], text: string) =>
    names.some(each => partial?.includes(each as never)) ? `≥ ${text}` : text;
  switch (name) {
    case 'problems':
      return problems === undefined
        ? '–'
        : atLeast(['problems'], countText(problems, trans));
    case 'run':
      return figures.run ? resultText(figures.run, trans) : '';
    case 'tokens':
      return inputTokens === undefined || outputTokens === undefined
        ? ''
        : atLeast(
            ['inputTokens', 'outputTokens'],
            `${countText(inputTokens, trans)} / ${countText(outputTokens, trans)}`
          );
    case 'time':
      return totalMs === undefined
        ? ''
        : atLeast(['totalMs'], durationText(totalMs, trans));
    case 'cost':
      return cost === undefined ? '' : atLeast(['cost'], costText(cost, trans));
  }
}

function resultText(result: IRunResult, trans: TranslationBundle): string {
  switch (result.status) {
    case 'ok':
      return '✓';
    case 'error':
      return result.error || trans.__('failed');
    case 'timeout':
      return trans.__('too slow');
    case 'died':
      return trans.__('kernel died');
  }
}

/** Return a text for a request that fits into one line of the table. */
export function shortRequest(text: string, trans: TranslationBundle): string {
  return requestTitle(text, trans).replace(/\s+/g, ' ');
}

export function tableMarkdown(
  groups: readonly IGroup[],
  columns: readonly IColumn[],
  trans: TranslationBundle
): string {
  const row = (cells: readonly string[]) =>
    `| ${cells.map(cell => cell.replace(/[\\|]/g, '\\$&')).join(' | ')} |`;
  const titles = [
    trans.__('Request'),
    trans.__('Model'),
    ...columns.map(({ title }) => title)
  ];
  return [
    row(titles),
    row(titles.map(() => '---')).replace(/\\/g, ''),
    ...groups.flatMap(({ title, lines }) =>
      lines.map(({ name, figures }) =>
        row([
          title,
          name,
          ...columns.map(column =>
            figures ? cellText(column.name, figures, trans) : ''
          )
        ])
      )
    )
  ].join('\n');
}
