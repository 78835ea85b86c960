/**
 * Small components of the prompt row: the model's name, the progress, a failure, and the chips that
 * show what the next request includes. Text from a model or a server is never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { DataFrameProfile, ModelInfo } from '../../api/types';
import type { IFailure } from '../../state/failure';
import type { IBranch } from '../../records/branch';
import { Button, Command } from '../../ui/button';
import { countText } from '../../labels/counts';
import { durationText } from '../../labels/durations';
import { failureText } from '../../labels/failureText';
import { requestTitle } from '../../labels/requestTitle';
import { labelText } from '../../labels/serverText';
import { closeGaps } from '../../labels/spacing';

/** The model's name and whether it is local, as a button that opens the menu of models. */
export function ModelLabel(props: {
  model: ModelInfo | null;
  /** Whether the model was chosen for this cell only. */
  forCell: boolean;
  trans: TranslationBundle;
  /** Open the menu of models at a position in the window. */
  onPick?: (x: number, y: number) => void;
}): React.JSX.Element | null {
  const { model, forCell, trans, onPick } = props;
  if (!model) {
    return null;
  }
  const where = model.onThisMachine
    ? trans.__('on this machine')
    : trans.__('remote');
  const title = model.onThisMachine
    ? trans.__(
        'Your request and the code sent with it stay on the Jupyter server’s machine.'
      )
    : trans.__(
        'Your request, this cell and the cells above it, this cell’s earlier requests and answers, and the column names and types of DataFrames that you pick are sent to this provider.'
      );
  const className =
    'jp-AIServer-Ask-model' + (model.onThisMachine ? '' : ' jp-mod-remote');
  const text =
    `${labelText(model.label, trans)} · ${where}` +
    (forCell ? ` · ${trans.__('this cell only')}` : '');
  return onPick ? (
    <button
      type="button"
      className={`${className} jp-AIServer-Ask-button jp-mod-quiet`}
      title={title}
      aria-label={trans.__('Model: %1', text)}
      aria-haspopup="menu"
      onClick={event => {
        const box = event.currentTarget.getBoundingClientRect();
        onPick(box.left, box.bottom);
      }}
    >
      <span>{text}</span>
      <caretDownEmptyIcon.react tag="span" width="14px" />
    </button>
  ) : (
    <span className={className} title={title}>
      {text}
    </span>
  );
}

/** A line that shows what the model is doing, and for how long. */
export function Progress(props: {
  since: number;
  writing: boolean;
  /** The model's name; empty while it is unknown. */
  model: string;
  /** The time of the next attempt, as `performance.now()`; 0 if no attempt is waiting. */
  waitUntil: number;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { since, writing, waitUntil, trans } = props;
  const [now, setNow] = React.useState(() => performance.now());
  React.useEffect(() => {
    const timer = window.setInterval(() => setNow(performance.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - since) / 1000));
  const modelName = props.model || trans.__('the model');
  let text = writing
    ? trans.__('Writing…')
    : closeGaps(trans.__('Waiting for %1…', modelName));
  const remaining = Math.ceil((waitUntil - now) / 1000);
  if (!writing && remaining > 0) {
    text = trans.__('Retrying in %1…', durationText(remaining * 1000, trans));
  } else if (!writing && seconds >= 20) {
    text = closeGaps(
      trans.__(
        'Still waiting for %1. The first answer can take half a minute…',
        modelName
      )
    );
  }
  return (
    <span className="jp-AIServer-Ask-progress" aria-hidden="true">
      <span className="jp-AIServer-Ask-dots" />
      {text}
      <span className="jp-AIServer-Ask-seconds">
        {seconds > 0 ? durationText(seconds * 1000, trans) : ''}
      </span>
    </span>
  );
}

/** The message of a failure, with buttons that help to fix it. */
export function Failure(props: {
  failure: IFailure;
  trans: TranslationBundle;
  onRetry: () => void;
  onTakeOver: () => void;
  /** Open the form of the provider whose model failed. */
  onSettings?: (provider: string) => void;
}): React.JSX.Element {
  const { failure, trans, onSettings } = props;
  const { install, provider } = failure;
  return (
    <div className="jp-AIServer-Ask-failure" role="alert">
      <span className="jp-AIServer-Ask-sentence">
        {failureText(failure, trans)}
      </span>
      {install && <Command command={install} trans={trans} />}
      {provider && onSettings && (
        <Button
          label={trans.__('Model settings…')}
          run={() => onSettings(provider.name)}
        />
      )}
      {failure.signIn && (
        <a
          className="jp-AIServer-Ask-button"
          href={failure.signIn}
          target="_blank"
          rel="noopener"
        >
          {trans.__('Sign in')}
        </a>
      )}
      {failure.generationId ? (
        <Button label={trans.__('Stop and ask again')} run={props.onTakeOver} />
      ) : (
        <Button label={trans.__('Try again')} run={props.onRetry} />
      )}
    </div>
  );
}

/** The numbers of rows and columns, formatted. */
export function shapeOf(
  profile: DataFrameProfile,
  trans: TranslationBundle
): string {
  return trans.__(
    '%1 rows × %2 columns',
    countText(profile.rowCount, trans),
    countText(profile.columnCount, trans)
  );
}

/** The older turn that the next request continues from, with a button that removes this choice. */
export function BranchChip(props: {
  branch: IBranch | null;
  trans: TranslationBundle;
  onRemove: () => void;
}): React.JSX.Element | null {
  const { branch, trans, onRemove } = props;
  if (branch === null) {
    return null;
  }
  const remove = trans.__('Continue from the latest request instead');
  const title = requestTitle(branch.title, trans);
  return (
    <div className="jp-AIServer-Ask-chips">
      <span className="jp-AIServer-Ask-chip jp-mod-branch" title={title}>
        <span>{trans.__('continues from “%1”', title)}</span>
        <button
          type="button"
          aria-label={remove}
          title={remove}
          onClick={onRemove}
        >
          ×
        </button>
      </span>
    </div>
  );
}

/** The DataFrames of the next request. */
export function DataFrameChips(props: {
  dataframes: readonly DataFrameProfile[];
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
        <span
          key={profile.name}
          className="jp-AIServer-Ask-chip"
          title={profile.columns
            ?.map(column => `${column.name}: ${column.dtype}`)
            .join('\n')}
        >
          {profile.name}
          <small>{shapeOf(profile, trans)}</small>
          <button
            type="button"
            aria-label={trans.__('Remove %1', profile.name)}
            onClick={() => props.onRemove(profile.name)}
          >
            ×
          </button>
        </span>
      ))}
      <span className="jp-AIServer-Ask-hint">
        {trans.__('Only column names and types are sent.')}
      </span>
    </div>
  );
}
