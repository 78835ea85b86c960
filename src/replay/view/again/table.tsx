import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { stepAuthor } from '../../../labels/stepLabels';
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
import {
  cellText,
  IColumn,
  IGroup,
  ILine,
  shortRequest,
  tableColumns,
  tableMarkdown
} from './tableText';
import { copyText } from '../../../ui/focus';

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
