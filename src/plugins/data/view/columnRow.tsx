/**
 * The row of one column: its name, dtype, missing and distinct values, and their distribution. It
 * has the same height before the profile arrives. One button mentions the column in the prompt row,
 * the other shows or hides the details.
 */
import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type {
  IColumnProfile,
  IDataColumn,
  IDataItem
} from '../../../kernel/profile';
import { countText } from '../../../labels/formats';
import type { IItemChange } from '../model/changes';
import { Badge } from './badge';
import { ColumnDetails } from './columnDetails';
import { useData } from './context';
import {
  columnBadge,
  columnName,
  mentionOf,
  noteText,
  percentText
} from './dataLabels';
import { Distribution } from './distribution';

export interface IColumnRowProps {
  item: IDataItem;
  column: IDataColumn;
  /** Undefined before the profile arrives, null if the column can't be profiled. */
  profile: IColumnProfile | null | undefined;
  change: IItemChange | undefined;
  /** From 1; the first row is the header. */
  rowNumber: number;
  hasDetails: boolean;
  tabIndex: 0 | -1;
  toggleDetails: () => void;
}

export function ColumnRow(props: IColumnRowProps): React.JSX.Element {
  const { item, column, profile, hasDetails, tabIndex } = props;
  const { model, trans } = useData();
  const name = columnName(column.name, item);
  const badge = columnBadge(column.name, props.change, trans);
  const mention = mentionOf(column.name, item);
  const isSample = !!profile && profile.rows < (item.rowCount ?? 0);
  const Caret = hasDetails ? caretDownIcon : caretRightIcon;
  return (
    <>
      <div
        role="row"
        aria-rowindex={props.rowNumber}
        className="jp-AIServer-Data-column"
      >
        <div role="rowheader" className="jp-AIServer-Data-name">
          {model.mention ? (
            <button
              type="button"
              tabIndex={tabIndex}
              title={trans.__('%1: mention in the request', mention)}
              onClick={() => void model.mention?.(`${mention} `)}
            >
              {name}
            </button>
          ) : (
            <span title={name}>{name}</span>
          )}
          {badge && <Badge {...badge} />}
        </div>
        <div className="jp-AIServer-Data-facts">
          <div
            role="cell"
            className="jp-AIServer-Data-dtype"
            title={column.dtype}
          >
            {column.dtype}
          </div>
          <Missing profile={profile} />
          <Distinct profile={isSample ? null : profile} />
        </div>
        <div
          role="cell"
          className="jp-AIServer-Data-distribution"
          title={noteText(profile, trans) || undefined}
        >
          {profile && <Distribution profile={profile} />}
        </div>
        <div role="cell">
          <button
            type="button"
            className="jp-AIServer-Data-caret"
            tabIndex={tabIndex}
            aria-expanded={hasDetails}
            aria-label={trans.__('Details of %1', name)}
            title={trans.__('Details of %1', name)}
            onClick={props.toggleDetails}
          >
            <Caret.react tag="span" />
          </button>
        </div>
      </div>
      {hasDetails && (
        <div role="row">
          <div role="cell" aria-colspan={6}>
            <ColumnDetails
              dtype={column.dtype}
              profile={profile}
              isSample={isSample}
            />
          </div>
        </div>
      )}
    </>
  );
}

/** As a number and a bar. */
function Missing(props: {
  profile: IColumnProfile | null | undefined;
}): React.JSX.Element {
  const { trans } = useData();
  const { missing, rows } = props.profile?.all ??
    props.profile ?? { missing: null, rows: 0 };
  if (missing === null) {
    return <div role="cell" className="jp-AIServer-Data-missing" />;
  }
  const share = percentText(missing, rows, trans);
  return (
    <div
      role="cell"
      className="jp-AIServer-Data-missing"
      title={trans.__('%1 missing', share)}
    >
      <i>
        <i style={{ width: `${(100 * missing) / Math.max(1, rows)}%` }} />
      </i>
      <span aria-hidden="true">{share}</span>
      <span className="jp-AIServer-Data-hidden">
        {trans.__('%1 missing', share)}
      </span>
    </div>
  );
}

function Distinct(props: {
  profile: IColumnProfile | null | undefined;
}): React.JSX.Element {
  const { trans } = useData();
  const distinct = props.profile?.distinct ?? null;
  return (
    <div role="cell" className="jp-AIServer-Data-distinct">
      {distinct !== null && trans.__('%1 distinct', countText(distinct, trans))}
    </div>
  );
}
