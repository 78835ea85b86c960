/**
 * Choose DataFrames of the kernel for the request.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { DataFrameProfile } from '../../api/types';
import { shapeOf } from './promptParts';

/** As many as the HTTP API takes in one request. */
const MAX_CHOSEN = 20;

export interface IDataFramePickerProps {
  list: () => Promise<DataFrameProfile[]>;
  chosen: readonly DataFrameProfile[];
  trans: TranslationBundle;
  onChoose: (dataframes: DataFrameProfile[]) => void;
  onClose: () => void;
}

export function DataFramePicker(
  props: IDataFramePickerProps
): React.JSX.Element {
  const { chosen, list, trans } = props;
  const [found, setFound] = React.useState<DataFrameProfile[] | null>(null);
  const [problem, setProblem] = React.useState('');
  const [round, setRound] = React.useState(0);
  const first = React.useRef<HTMLElement>(null);

  React.useEffect(() => {
    let gone = false;
    setProblem('');
    list()
      .then(profiles => !gone && setFound(profiles))
      .catch((reason: Error) => !gone && setProblem(reason.message));
    return () => {
      gone = true;
    };
  }, [list, round]);
  React.useEffect(() => {
    first.current?.querySelector<HTMLElement>('input, button')?.focus();
  }, [found, problem]);

  const toggle = (profile: DataFrameProfile) => {
    const rest = chosen.filter(({ name }) => name !== profile.name);
    props.onChoose(
      rest.length < chosen.length ? rest : [...rest, profile].slice(-MAX_CHOSEN)
    );
  };

  return (
    <section
      ref={first}
      className="jp-AIServer-Ask-picker"
      aria-label={trans.__('DataFrames in the kernel')}
      onKeyDown={event => {
        // On a button Enter presses it.
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) {
          event.preventDefault();
          props.onClose();
        }
      }}
    >
      {problem ? (
        <p>{problem}</p>
      ) : !found ? (
        <p>{trans.__('Loading DataFrames…')}</p>
      ) : !found.length ? (
        <p>
          {trans.__(
            'The kernel has no DataFrames yet. Run a cell that creates one, then refresh.'
          )}
        </p>
      ) : (
        <div className="jp-AIServer-Ask-frames">
          {found.map(profile => (
            <label key={profile.name}>
              <input
                type="checkbox"
                checked={chosen.some(({ name }) => name === profile.name)}
                onChange={() => toggle(profile)}
              />
              <code>{profile.name}</code>
              <small>{shapeOf(profile, trans)}</small>
            </label>
          ))}
        </div>
      )}
      <div className="jp-AIServer-Ask-pickerbar">
        <span className="jp-AIServer-Ask-hint">
          {trans.__('Only column names and types are sent.')}
        </span>
        {(problem || found?.length === 0) && (
          <button
            type="button"
            className="jp-AIServer-Ask-button"
            onClick={() => setRound(round + 1)}
          >
            {trans.__('Refresh')}
          </button>
        )}
        <button
          type="button"
          className="jp-AIServer-Ask-button"
          onClick={props.onClose}
        >
          {trans.__('Done')}
        </button>
      </div>
    </section>
  );
}
