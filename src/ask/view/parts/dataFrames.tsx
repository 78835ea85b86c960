/** The DataFrames of the next request: chips below the input field, and the list to choose from. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile, PrivacyLevel } from '../../../api/types';
import { SAMPLE_ROWS } from '../../../kernel/dataValues';
import { countText } from '../../../labels/formats';
import { forbiddenText } from '../../../labels/failureText';
import { joinSentences } from '../../../labels/serverText';
import { isForbidden } from '../../../state/features';
import { Button } from '../../../ui/button';
import { MAX_CHOSEN } from '../../model/context/attachments';
import { type ILevelStatus, levelFor } from '../../model/context/privacyLevels';
import { Chip } from './chips';
import type { IRow } from '../row';

/** “10 rows × 3 columns” */
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

/** The chosen and the attached DataFrames, each with a menu of privacy levels. */
export function DataFrameChips(props: { row: IRow }): React.JSX.Element | null {
  const { model, text, trans, focus } = props.row;
  const { dataframes: chosen, levels, levelStatus, isRemedy } = model.state;
  const dataframes = [...chosen, ...model.attachedFrames(text)];
  // A line to add is no request: nothing is sent.
  if (!dataframes.length || (isRemedy && !text.trim())) {
    return null;
  }
  const isLocal = model.state.model?.onThisMachine ?? false;
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
      {dataframes.map(profile => {
        const { name, columns = [] } = profile;
        const level = levelOf(profile);
        return (
          <Chip
            key={name}
            title={[
              sentText([profile], [level], isLocal, trans),
              ...columns.map(column => `${column.name}: ${column.dtype}`)
            ].join('\n')}
            removeLabel={trans.__('Remove %1', name)}
            onRemove={() => {
              model.removeDataFrame(name);
              focus();
            }}
          >
            {name}
            <small>{shapeText(profile, trans)}</small>
            {!areValuesForbidden && (
              <select
                className="jp-AIServer-Ask-level"
                aria-label={trans.__('What the model gets of %1', name)}
                value={level}
                onChange={event => {
                  const chosen = event.target.value as PrivacyLevel;
                  void model.chooseLevel(name, chosen);
                }}
                onKeyDown={event => {
                  // Alt and an arrow open the menu. In the row, they select a change.
                  if (event.altKey) {
                    event.stopPropagation();
                  }
                }}
              >
                <option value="schema">
                  {isLocal && hasValues(profile)
                    ? trans.__('Columns, a few values')
                    : trans.__('Columns only')}
                </option>
                <option value="statistics">{trans.__('Statistics')}</option>
                <option value="sample">
                  {trans._n('%1 row', '%1 rows', SAMPLE_ROWS)}
                </option>
              </select>
            )}
          </Chip>
        );
      })}
      {hint && (
        <span className="jp-AIServer-Ask-hint" role="status">
          {hint}
        </span>
      )}
    </div>
  );
}

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

/** Only profiles for models on this machine contain values. */
function hasValues({ columns = [], index = [] }: DataFrameProfile): boolean {
  return [...columns, ...index].some(({ examples }) => examples?.length);
}

export function DataFramePicker(props: {
  row: IRow;
  onClose: () => void;
}): React.JSX.Element {
  const { onClose, row } = props;
  const { model, services, trans } = row;
  const { listDataFrames } = services;
  const chosen = model.state.dataframes;
  const [profiles, setProfiles] = React.useState<DataFrameProfile[] | null>(
    null
  );
  const [problem, setProblem] = React.useState('');
  const [attempt, setAttempt] = React.useState(0);
  const section = React.useRef<HTMLElement>(null);

  React.useEffect(() => {
    let isOutdated = false;
    setProblem('');
    listDataFrames()
      .then(result => !isOutdated && setProfiles(result))
      .catch((reason: Error) => !isOutdated && setProblem(reason.message));
    return () => void (isOutdated = true);
  }, [listDataFrames, attempt]);
  // Focus the new content.
  React.useEffect(() => {
    section.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [profiles, problem]);

  const toggle = (profile: DataFrameProfile) => {
    const others = chosen.filter(({ name }) => name !== profile.name);
    const isRemoved = others.length < chosen.length;
    // If there are too many, remove the one that was chosen first.
    const added = [...others, profile].slice(-MAX_CHOSEN);
    model.setState({ dataframes: isRemoved ? others : added });
  };
  const message = profiles
    ? trans.__(
        'The kernel has no DataFrames yet. Run a cell that creates one, then refresh.'
      )
    : trans.__('Loading DataFrames…');

  return (
    <section
      ref={section}
      className="jp-AIServer-Ask-picker"
      aria-label={trans.__('DataFrames in the kernel')}
      onKeyDown={event => {
        // Enter on a checkbox closes the list; on a button, it presses the button.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
          event.preventDefault();
          onClose();
        }
      }}
    >
      {problem || !profiles?.length ? (
        <p>{problem || message}</p>
      ) : (
        <div className="jp-AIServer-Ask-frames">
          {profiles.map(profile => (
            <label key={profile.name}>
              <input
                type="checkbox"
                checked={chosen.some(({ name }) => name === profile.name)}
                onChange={() => toggle(profile)}
              />
              <code>{profile.name}</code>
              <small>{shapeText(profile, trans)}</small>
            </label>
          ))}
        </div>
      )}
      <div className="jp-AIServer-Ask-pickerbar">
        <span className="jp-AIServer-Ask-hint">
          {trans.__(
            'Only column names and types are sent, unless you choose more below.'
          )}
        </span>
        {(problem || profiles?.length === 0) && (
          <Button
            label={trans.__('Refresh')}
            run={() => setAttempt(attempt + 1)}
          />
        )}
        <Button label={trans.__('Done')} run={onClose} />
      </div>
    </section>
  );
}
