/** A list in which a person chooses the kernel's DataFrames that the next request is about. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile } from '../../../api/types';
import { Button } from '../../../ui/button';
import { MAX_CHOSEN } from '../../model/context/attachments';
import { shapeText } from './dataFrameChips';

export interface IDataFramePickerProps {
  /** List the kernel's DataFrames, or reject with an error whose message is shown. */
  listDataFrames: () => Promise<DataFrameProfile[]>;
  chosen: readonly DataFrameProfile[];
  trans: TranslationBundle;
  onChoose: (dataframes: DataFrameProfile[]) => void;
  onClose: () => void;
}

export function DataFramePicker(
  props: IDataFramePickerProps
): React.JSX.Element {
  const { chosen, listDataFrames, trans } = props;
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
    return () => {
      isOutdated = true;
    };
  }, [listDataFrames, attempt]);
  // Focus the first checkbox or button of the new content.
  React.useEffect(() => {
    section.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [profiles, problem]);

  const toggle = (profile: DataFrameProfile) => {
    const otherChosen = chosen.filter(({ name }) => name !== profile.name);
    props.onChoose(
      otherChosen.length < chosen.length
        ? otherChosen
        : // If there are too many, the DataFrame that was chosen first is removed.
          [...otherChosen, profile].slice(-MAX_CHOSEN)
    );
  };

  return (
    <section
      ref={section}
      className="jp-AIServer-Ask-picker"
      aria-label={trans.__('DataFrames in the kernel')}
      onKeyDown={event => {
        // Enter on a checkbox closes the list. Enter on a button presses the button.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
          event.preventDefault();
          props.onClose();
        }
      }}
    >
      {problem ? (
        <p>{problem}</p>
      ) : !profiles ? (
        <p>{trans.__('Loading DataFrames…')}</p>
      ) : !profiles.length ? (
        <p>
          {trans.__(
            'The kernel has no DataFrames yet. Run a cell that creates one, then refresh.'
          )}
        </p>
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
        <Button label={trans.__('Done')} run={props.onClose} />
      </div>
    </section>
  );
}
