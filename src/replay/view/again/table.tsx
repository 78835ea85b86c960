import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IRunResult } from '../../../kernel/freshKernel';
import { countText, durationText } from '../../../labels/formats';
import { requestTitle } from '../../../labels/requestTitle';
import { stepAuthor } from '../../../labels/stepLabels';
import { costText } from '../../../prompt/usageLabels';
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
import { type IReplayContext, useReplay } from '../context';

interface IAgainTableProps {
  rows: readonly IAgainRow[];
  findings: IFindings;
  askedRow: number;
  /** The name of the model that is asked again, until one of its answers has it. */
  modelName: string;
}

interface ILine {
  readonly name: string;
  readonly figures: IFigures | null;
}

interface IGroup {
  readonly title: string;
  readonly turnId: number | null;
  readonly note: string;
  readonly lines: readonly [original: ILine, asked: ILine];
}

interface IColumn {
  readonly title: string;
  readonly description: string;
  readonly text: (figures: IFigures) => string;
}

export function AgainTable(props: IAgainTableProps): React.JSX.Element {
  const context = useReplay();
  const { trans } = context;
  const [copied, setCopied] = React.useState('');
  const groups = groupsOf(props, context);
  const columns = columnsOf(groups, trans);
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
              {columns.map(({ title, description }) => (
                <th key={title} scope="col" title={description}>
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

function Group(props: {
  group: IGroup;
  columns: readonly IColumn[];
}): React.JSX.Element {
  const { title, turnId, note, lines } = props.group;
  const { columns } = props;
  const { model, trans } = useReplay();
  const position = model.steps.all.findIndex(
    step => step.kind === 'turn' && turnId !== null && step.turnId === turnId
  );
  return (
    <tbody>
      <tr>
        <th scope="rowgroup" colSpan={columns.length + 1}>
          {position < 0 ? (
            <span>{title}</span>
          ) : (
            <LinkButton
              title={trans.__('Show the new answer')}
              onClick={() => model.player.goTo(position)}
            >
              {title}
            </LinkButton>
          )}
          {note && <small>{note}</small>}
        </th>
      </tr>
      {lines.map(({ name, figures }, index) => (
        <tr key={index}>
          <th scope="row" title={name}>
            {name}
          </th>
          {columns.map(column => (
            <td key={column.title}>{figures && column.text(figures)}</td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

function groupsOf(
  { rows, findings, askedRow, modelName }: IAgainTableProps,
  { model, trans }: IReplayContext
): IGroup[] {
  const steps = model.steps.all;
  const nameOf = (turnId: number | null) => {
    const step = findTurn(steps, turnId);
    return step && stepAuthor(step, model.modelInfo(step.model), trans).name;
  };
  const groups = rows.map((row, index): IGroup => {
    const notes = [
      index === askedRow && trans.__('asking…'),
      row.isEdited && trans.__('from your edited code')
    ];
    const original = originalFigures(row, steps, findings);
    const asked = newFigures(row, steps, findings);
    return {
      title: requestTitle(row.request.intent, trans).replace(/\s+/g, ' '),
      turnId: row.turnId,
      note: notes.filter(Boolean).join(' · '),
      lines: [
        { name: nameOf(row.request.turnId) ?? '', figures: original },
        { name: nameOf(row.turnId) || modelName, figures: asked }
      ]
    };
  });
  // The sums are of the requests that both have answered.
  const both = groups.filter(({ lines }) => lines[1].figures);
  if (both.length < 2) {
    return groups;
  }
  const sumOf = (index: 0 | 1) => {
    const lines = both.map(group => group.lines[index]);
    const names = new Set(lines.map(({ name }) => name));
    const name =
      index === 0 && names.size > 1
        ? trans.__('original answers')
        : lines[0].name;
    return { name, figures: total(lines.flatMap(line => line.figures ?? [])) };
  };
  const note =
    both.length < rows.length
      ? trans.__('%1 of %2 answered', both.length, rows.length)
      : '';
  const title = trans.__('All requests');
  return [
    ...groups,
    { title, turnId: null, note, lines: [sumOf(0), sumOf(1)] }
  ];
}

/** Return the columns. Those without any value are left out, except for the first one. */
function columnsOf(
  groups: readonly IGroup[],
  trans: TranslationBundle
): IColumn[] {
  const atLeast = (
    { partial }: IFigures,
    names: readonly (keyof IFigures)[],
    text: string
  ) => (partial?.some(name => names.includes(name)) ? `≥ ${text}` : text);
  const [problems, ...others]: IColumn[] = [
    {
      title: trans.__('Problems'),
      description: trans.__('Problems that the check finds in the kernel'),
      text: figures =>
        figures.problems === undefined
          ? '–'
          : atLeast(figures, ['problems'], countText(figures.problems, trans))
    },
    {
      title: trans.__('Run'),
      description: trans.__(
        'The original answer: its last run. The new one: its run in a fresh kernel.'
      ),
      text: ({ run }) => (run ? resultText(run, trans) : '')
    },
    {
      title: trans.__('Tokens'),
      description: trans.__('Tokens read and written'),
      text: figures => {
        const { inputTokens: read, outputTokens: written } = figures;
        if (read === undefined || written === undefined) {
          return '';
        }
        const counts = [read, written].map(count => countText(count, trans));
        const names = ['inputTokens', 'outputTokens'] as const;
        return atLeast(figures, names, counts.join(' / '));
      }
    },
    {
      title: trans.__('Time'),
      description: trans.__('Until the end of the answer'),
      text: figures =>
        figures.totalMs === undefined
          ? ''
          : atLeast(figures, ['totalMs'], durationText(figures.totalMs, trans))
    },
    {
      title: trans.__('Cost'),
      description: trans.__('Cost'),
      text: figures =>
        figures.cost === undefined
          ? ''
          : atLeast(figures, ['cost'], costText(figures.cost, trans))
    }
  ];
  const all = groups.flatMap(({ lines }) => lines);
  return [
    problems,
    ...others.filter(({ text }) =>
      all.some(({ figures }) => figures && text(figures))
    )
  ];
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

function tableMarkdown(
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
  const rows = groups.flatMap(({ title, lines }) =>
    lines.map(({ name, figures }) => {
      const texts = columns.map(({ text }) => (figures ? text(figures) : ''));
      return row([title, name, ...texts]);
    })
  );
  return [row(titles), row(titles.map(() => '---')), ...rows].join('\n');
}
