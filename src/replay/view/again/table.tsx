import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IRunResult } from '../../../kernel/freshKernel';
import { countText, durationText } from '../../../labels/formats';
import { requestTitle } from '../../../labels/requestTitle';
import { stepAuthor } from '../../../labels/stepLabels';
import { costText } from '../../../prompt/usageLabels';
import type { IShownStep } from '../../../records/fold';
import { copyText } from '../../../ui/focus';
import {
  findTurn,
  IAgainRow,
  IFigures,
  IFindings,
  newFigures,
  originalFigures,
  total
} from '../../model/again/table';
import { LinkButton } from '../buttons';
import { useReplay } from '../context';

interface IAgainTableProps {
  rows: readonly IAgainRow[];
  findings: IFindings;
  /** The index of the row whose request is being asked; -1 if there is none. */
  askedRow: number;
  /** The name of the model that is asked again, until one of its answers has it. */
  modelName: string;
}

export function AgainTable(props: IAgainTableProps): React.JSX.Element {
  const { model, trans } = useReplay();
  const [copied, setCopied] = React.useState('');
  const steps = model.steps.all;
  const nameOf = (step: IShownStep | undefined) =>
    step ? stepAuthor(step, model.modelInfo(step.model), trans).name : '';
  const groups = groupsOf(props, steps, nameOf, trans);
  const lines = groups.flatMap(group => group.lines);
  const columns = tableColumns(lines, trans);
  const markdown = tableMarkdown(groups, columns, trans);
  return (
    <>
      <div
        className="jp-AIServer-Replay-againTable"
        role="region"
        aria-label={trans.__('Comparison of the answers')}
        tabIndex={0}
        data-focus
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{trans.__('Model')}</th>
              {columns.map(({ name, title, description }) => (
                <th key={name} scope="col" title={description}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          {groups.map((group, index) => (
            <Group key={index} group={group} columns={columns} />
          ))}
        </table>
      </div>
      <LinkButton
        onClick={() => {
          copyText(markdown);
          setCopied(markdown);
        }}
      >
        {copied === markdown
          ? trans.__('Copied')
          : trans.__('Copy as Markdown')}
      </LinkButton>
    </>
  );
}

/** The two lines for a request, below the request itself. */
function Group(props: {
  group: IGroup;
  columns: readonly IColumn[];
}): React.JSX.Element {
  const { group, columns } = props;
  const { model, trans } = useReplay();
  const position = model.steps.all.findIndex(
    ({ kind, turnId }) =>
      kind === 'turn' && group.turnId !== null && turnId === group.turnId
  );
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={columns.length + 1}>
          {position < 0 ? (
            <span>{group.title}</span>
          ) : (
            <LinkButton
              title={trans.__('Show the new answer')}
              onClick={() => model.player.goTo(position)}
            >
              {group.title}
            </LinkButton>
          )}
          {group.note && <small>{group.note}</small>}
        </th>
      </tr>
      {group.lines.map(({ name, figures }, index) => (
        <tr key={index}>
          <th scope="row" title={name}>
            {name}
          </th>
          {columns.map(column => (
            <td key={column.name}>
              {figures && cellText(column.name, figures, trans)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function groupsOf(
  { rows, findings, askedRow, modelName }: IAgainTableProps,
  steps: readonly IShownStep[],
  nameOf: (step: IShownStep | undefined) => string,
  trans: TranslationBundle
): IGroup[] {
  const notes = (row: IAgainRow, index: number) => [
    ...(index === askedRow ? [trans.__('asking…')] : []),
    ...(row.isEdited ? [trans.__('from your edited code')] : [])
  ];
  const answers = rows.map(row => ({
    row,
    original: originalFigures(row, steps, findings),
    asked: newFigures(row, steps, findings),
    originalName: nameOf(findTurn(steps, row.request.turnId)),
    newName: nameOf(findTurn(steps, row.turnId)) || modelName
  }));
  const groups = answers.map(
    ({ row, original, asked, originalName, newName }, index): IGroup => ({
      title: shortRequest(row.request.intent, trans),
      turnId: row.turnId,
      note: notes(row, index).join(' · '),
      lines: [
        { name: originalName, figures: original },
        { name: newName, figures: asked }
      ]
    })
  );
  // The sums are of the requests that both have answered.
  const both = answers.filter(({ asked }) => asked !== null);
  if (both.length < 2) {
    return groups;
  }
  const originalNames = new Set(both.map(({ originalName }) => originalName));
  const sumOf = (name: string, figures: readonly IFigures[]): ILine => ({
    name,
    figures: total(figures)
  });
  const sum: IGroup = {
    title: trans.__('All requests'),
    turnId: null,
    note:
      both.length < rows.length
        ? trans.__('%1 of %2 answered', both.length, rows.length)
        : '',
    lines: [
      sumOf(
        originalNames.size > 1
          ? trans.__('original answers')
          : both[0].originalName,
        both.map(({ original }) => original)
      ),
      sumOf(
        both[0].newName,
        both.flatMap(({ asked }) => asked ?? [])
      )
    ]
  };
  return [...groups, sum];
}

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
