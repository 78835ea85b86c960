/** One variable: a button with its size and changes, which shows and hides its columns. */
import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { countText } from '../../../labels/formats';
import { joinSentences } from '../../../labels/serverText';
import { Button } from '../../../ui/button';
import { FilterField } from '../../../ui/filterField';
import type { IItemChange } from '../model/changes';
import { SORT_KEYS, SortKey } from '../model/columnOrder';
import type { Frame } from '../model/frame';
import type { NotebookData } from '../model/notebookData';
import { Badge } from './badge';
import { ColumnTable } from './columnTable';
import { useData } from './context';
import { itemBadges, itemShape, memoryText, sortLabel } from './dataLabels';

/** More removed columns are only counted. */
const MAX_REMOVED = 20;

interface IFrameProps {
  data: NotebookData;
  frame: Frame;
  change: IItemChange | undefined;
}

export function FrameView(props: IFrameProps): React.JSX.Element {
  const { data, frame, change } = props;
  const { trans } = useData();
  const { item, isOpen } = frame;
  const id = React.useId();
  const Caret = isOpen ? caretDownIcon : caretRightIcon;
  const size = [itemShape(item, trans), memoryText(item.bytes, trans)];
  return (
    <li className="jp-AIServer-Data-frame">
      <button
        type="button"
        className="jp-AIServer-Data-head"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => data.toggle(frame)}
      >
        <Caret.react tag="span" />
        <span className="jp-AIServer-Data-variable">
          <code>{item.name}</code> <small title={item.kind}>{item.kind}</small>
        </span>{' '}
        <span className="jp-AIServer-Data-size">
          {size.filter(Boolean).join(' · ')}{' '}
          {itemBadges(change, trans).map(badge => (
            <React.Fragment key={badge.text}>
              <Badge {...badge} />{' '}
            </React.Fragment>
          ))}
        </span>
      </button>
      {isOpen && (
        <div id={id} className="jp-AIServer-Data-body">
          <FrameBody {...props} />
        </div>
      )}
    </li>
  );
}

function FrameBody({ data, frame, change }: IFrameProps): React.JSX.Element {
  const { model, trans } = useData();
  const { item, order } = frame;
  const hasColumns = item.columns.length > 0;
  return (
    <>
      <div className="jp-AIServer-Data-tools" data-lm-suppress-shortcuts="true">
        {item.columns.length > 1 && (
          <>
            <FilterField
              text={frame.filter}
              label={trans.__('Filter columns of %1', item.name)}
              placeholder={trans.__('Filter columns')}
              onFilter={text => data.setFilter(frame, text)}
            />
            <select
              value={frame.sort}
              aria-label={trans.__('Sort columns by')}
              title={trans.__('Sort columns by')}
              onChange={event =>
                data.setSort(frame, event.target.value as SortKey)
              }
            >
              {SORT_KEYS.map(key => (
                <option key={key} value={key}>
                  {sortLabel(key, trans)}
                </option>
              ))}
            </select>
          </>
        )}
        {model.mention && (
          <Button
            label={trans.__('Ask about this data…')}
            title={trans.__(
              'In a new cell if the active cell has code. With Shift, in the active cell.'
            )}
            run={({ shiftKey }) =>
              void model.mention?.(`@${item.name} `, !shiftKey)
            }
          />
        )}
      </div>
      {!!change?.removed.length && <Removed change={change} />}
      {hasColumns && order.length > 0 && (
        <ColumnTable
          data={data}
          frame={frame}
          change={change}
          label={trans.__('Columns of %1', item.name)}
        />
      )}
      {hasColumns && !order.length && (
        <p className="jp-AIServer-Data-none">
          {trans.__('No column name contains “%1”.', frame.filter.trim())}
        </p>
      )}
      <p className="jp-AIServer-Data-note">{frameNote(frame, trans)}</p>
    </>
  );
}

function Removed(props: { change: IItemChange }): React.JSX.Element {
  const { removed } = props.change;
  const { trans } = useData();
  const hiddenCount = removed.length - MAX_REMOVED;
  return (
    <p className="jp-AIServer-Data-removed">
      {trans.__('Removed:')}
      {removed.slice(0, MAX_REMOVED).map(({ name, dtype }) => (
        <del key={name} title={dtype}>
          {name}
        </del>
      ))}
      {hiddenCount > 0 && trans._n('and %1 more', 'and %1 more', hiddenCount)}
    </p>
  );
}

/** The number of columns, and which rows were examined. */
function frameNote(frame: Frame, trans: TranslationBundle): string {
  const { item, filter, order, progress, sampleRows } = frame;
  const count = (value: number) => countText(value, trans);
  const listed = item.columns.length;
  const total = item.columnCount ?? listed;
  return joinSentences(
    item.isLazy ? trans.__('This data is computed only when it is used.') : '',
    progress
      ? trans.__(
          'Reading all columns, to sort them: %1 of %2.',
          count(progress.done),
          count(progress.total)
        )
      : filter.trim() && listed
        ? trans.__('%1 of %2 columns.', count(order.length), count(listed))
        : '',
    listed && listed < total
      ? trans.__(
          'The first %1 of %2 columns are listed.',
          count(listed),
          count(total)
        )
      : '',
    sampleRows ? trans.__('From a sample of %1 rows.', count(sampleRows)) : ''
  );
}
