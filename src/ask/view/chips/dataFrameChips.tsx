/** Chips below the input field: the DataFrames of the next request. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile, ModelInfo } from '../../../api/types';
import { countText } from '../../../labels/counts';
import { joinSentences } from '../../../labels/spacing';
import { Chip } from './chip';

/** Return a DataFrame's shape as text, such as “10 rows × 3 columns”. */
export function shapeText(
  profile: DataFrameProfile,
  trans: TranslationBundle
): string {
  return trans.__(
    '%1 rows × %2 columns',
    countText(profile.rowCount, trans),
    countText(profile.columnCount, trans)
  );
}

/**
 * Chips for the DataFrames of the next request: those that the person chose, and those that were
 * attached automatically.
 */
export function DataFrameChips(props: {
  dataframes: readonly DataFrameProfile[];
  /** The model of the next request; null while no model is chosen. */
  model: ModelInfo | null;
  trans: TranslationBundle;
  onRemove: (name: string) => void;
}): React.JSX.Element | null {
  const { dataframes, trans } = props;
  if (!dataframes.length) {
    return null;
  }
  return (
    <div className="jp-AIServer-Ask-chips">
      {dataframes.map(profile => (
        <Chip
          key={profile.name}
          title={profile.columns
            ?.map(column => `${column.name}: ${column.dtype}`)
            .join('\n')}
          removeLabel={trans.__('Remove %1', profile.name)}
          onRemove={() => props.onRemove(profile.name)}
        >
          {profile.name}
          <small>{shapeText(profile, trans)}</small>
        </Chip>
      ))}
      <span className="jp-AIServer-Ask-hint">
        {joinSentences(
          props.model?.onThisMachine && dataframes.some(hasValues)
            ? trans.__('The model sees column names, types and a few values.')
            : trans.__('Only column names and types are sent.'),
          props.model?.small
            ? trans.__(
                'A small model doesn’t get them with a question about the code.'
              )
            : ''
        )}
      </span>
    </div>
  );
}

/** Return whether a profile contains values. Only profiles for models on this machine do. */
function hasValues({ columns = [], index = [] }: DataFrameProfile): boolean {
  return [...columns, ...index].some(({ examples }) => examples?.length);
}
