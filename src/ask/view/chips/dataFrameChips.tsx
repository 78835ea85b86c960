/** Chips below the input field: the DataFrames of the next request, and what of them is sent. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile, PrivacyLevel } from '../../../api/types';
import { SAMPLE_ROWS } from '../../../kernel/dataValues';
import { countText } from '../../../labels/formats';
import { forbiddenText } from '../../../labels/failureText';
import { joinSentences } from '../../../labels/serverText';
import { isForbidden } from '../../../state/features';
import { ILevelStatus, levelFor } from '../../model/context/privacyLevels';
import type { GenerationModel } from '../../model/generation';
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
 * attached automatically. Each has a menu with the privacy levels.
 */
export function DataFrameChips(props: {
  model: GenerationModel;
  /** The text of the input field. */
  text: string;
  trans: TranslationBundle;
  /** Focus the input field. */
  focus: () => void;
}): React.JSX.Element | null {
  const { model, text, trans, focus } = props;
  const { dataframes: chosen, levels, levelStatus, isRemedy } = model.state;
  const dataframes = [...chosen, ...model.attachedFrames(text)];
  // A line to add is no request: nothing is sent.
  if (!dataframes.length || (isRemedy && !text.trim())) {
    return null;
  }
  const { model: info } = model.state;
  const isLocal = info?.onThisMachine ?? false;
  const areValuesForbidden = !isLocal && isForbidden('data_values');
  const levelOf = ({ name }: DataFrameProfile) =>
    areValuesForbidden ? 'schema' : levelFor(levels, name, isLocal);
  // What stays on this machine needs no sentence; the tooltips say it.
  const hint = joinSentences(
    isLocal
      ? ''
      : sentText(dataframes, dataframes.map(levelOf), isLocal, trans),
    levelStatus ? statusText(levelStatus, trans) : '',
    areValuesForbidden ? forbiddenText('data_values', trans) : ''
  );
  return (
    <div className="jp-AIServer-Ask-chips">
      {dataframes.map(profile => (
        <Chip
          key={profile.name}
          title={[
            sentText([profile], [levelOf(profile)], isLocal, trans),
            ...(profile.columns?.map(
              ({ name, dtype }) => `${name}: ${dtype}`
            ) ?? [])
          ].join('\n')}
          removeLabel={trans.__('Remove %1', profile.name)}
          onRemove={() => {
            model.removeDataFrame(profile.name);
            focus();
          }}
        >
          {profile.name}
          <small>{shapeText(profile, trans)}</small>
          {!areValuesForbidden && (
            <LevelMenu
              name={profile.name}
              level={levelOf(profile)}
              hasValues={isLocal && hasValues(profile)}
              trans={trans}
              onChoose={level => void model.levels.choose(profile.name, level)}
            />
          )}
        </Chip>
      ))}
      {hint && (
        <span className="jp-AIServer-Ask-hint" role="status">
          {hint}
        </span>
      )}
    </div>
  );
}

/** A menu in which the person chooses what the model gets of a DataFrame. */
function LevelMenu(props: {
  name: string;
  level: PrivacyLevel;
  /** Whether the model gets some values at the lowest level, too. */
  hasValues: boolean;
  trans: TranslationBundle;
  onChoose: (level: PrivacyLevel) => void;
}): React.JSX.Element {
  const { name, level, trans } = props;
  return (
    <select
      className="jp-AIServer-Ask-level"
      aria-label={trans.__('What the model gets of %1', name)}
      value={level}
      onChange={event => props.onChoose(event.target.value as PrivacyLevel)}
      onKeyDown={event => {
        // Alt and an arrow open the menu. In the row, they select a change of the suggestion.
        if (event.altKey) {
          event.stopPropagation();
        }
      }}
    >
      <option value="schema">
        {props.hasValues
          ? trans.__('Columns, a few values')
          : trans.__('Columns only')}
      </option>
      <option value="statistics">{trans.__('Statistics')}</option>
      <option value="sample">
        {trans._n('%1 row', '%1 rows', SAMPLE_ROWS)}
      </option>
    </select>
  );
}

/** Return a sentence that says what is sent of the DataFrames, at the highest of their levels. */
function sentText(
  dataframes: readonly DataFrameProfile[],
  levels: readonly PrivacyLevel[],
  isLocal: boolean,
  trans: TranslationBundle
): string {
  if (levels.includes('sample')) {
    return isLocal
      ? trans.__(
          'The model sees column names, types, statistics and the first rows.'
        )
      : trans.__(
          'The first rows are sent to the remote model with all their values, and column names, types and statistics.'
        );
  }
  if (levels.includes('statistics')) {
    return isLocal
      ? trans.__('The model sees column names, types and statistics.')
      : trans.__(
          'Column names, types and statistics are sent to the remote model: of numbers and dates also the smallest and largest value, but no texts.'
        );
  }
  return isLocal && dataframes.some(hasValues)
    ? trans.__('The model sees column names, types and a few values.')
    : trans.__('Only column names and types are sent.');
}

function statusText(
  { name, isReading }: ILevelStatus,
  trans: TranslationBundle
): string {
  return isReading
    ? trans.__('Reading %1…', name)
    : trans.__(
        'The values of %1 could not be read, so they are not sent. If the kernel is busy, try again when it is idle.',
        name
      );
}

/** Return whether a profile contains values. Only profiles for models on this machine do. */
function hasValues({ columns = [], index = [] }: DataFrameProfile): boolean {
  return [...columns, ...index].some(({ examples }) => examples?.length);
}
