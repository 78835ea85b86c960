/**
 * Small components of the prompt row, such as the model's name, the progress of a generation, and a
 * failure.
 *
 * Invariant: text from a model or a server is never rendered as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import { caretDownEmptyIcon } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { IFailure } from '../../state/failure';
import { Button, Command } from '../../ui/button';
import { durationText } from '../../labels/formats';
import { failureText } from '../../labels/failureText';
import { labelText, removeChineseSpaces } from '../../labels/serverText';
import type { GenerationModel } from '../model/generation';
import type { IPromptRowServices } from './promptServices';

/** The name of the row's model; if models can be chosen, a button that opens their menu. */
export function ModelChoice(props: {
  model: GenerationModel;
  services: IPromptRowServices;
  /** Focus the input field. */
  focus: () => void;
}): React.JSX.Element | null {
  const { model, focus } = props;
  const { models, trans } = props.services;
  const { cellModel, isChecking, model: info, phase } = model.state;
  if (!info) {
    return null;
  }
  const title = info.onThisMachine
    ? trans.__(
        'Your request and the code sent with it stay on the Jupyter server’s machine.'
      )
    : trans.__(
        'Your request is sent to this provider, with the code, and the names and types of your data. Outputs and values only if you select them.'
      );
  const className =
    'jp-AIServer-Ask-model' + (info.onThisMachine ? '' : ' jp-mod-remote');
  const text = [
    labelText(info.label, trans),
    info.onThisMachine ? trans.__('on this computer') : trans.__('remote'),
    ...(cellModel === null ? [] : [trans.__('this cell only')])
  ].join(' · ');
  if (!models) {
    return (
      <span className={className} title={title}>
        {text}
      </span>
    );
  }
  const askAnother = (id: string) => {
    void model.decision.askAnother(id);
    focus();
  };
  return (
    <button
      type="button"
      className={`${className} jp-AIServer-Ask-button jp-mod-quiet`}
      title={title}
      aria-label={trans.__('Model: %1', text)}
      aria-haspopup="menu"
      onClick={event => {
        const box = event.currentTarget.getBoundingClientRect();
        focus(); // The field gets the focus back when the menu closes.
        models.pick({
          x: box.left,
          y: box.bottom,
          cellModel,
          chooseForCell: id => model.setCellModel(id),
          askAnother:
            phase === 'suggested' && !isChecking ? askAnother : undefined
        });
      }}
    >
      <span>{text}</span>
      <caretDownEmptyIcon.react tag="span" width="14px" />
    </button>
  );
}

/** A line that shows that the accepted code is running. */
export function RunProgress(props: {
  trans: TranslationBundle;
}): React.JSX.Element {
  return (
    <span className="jp-AIServer-Ask-progress" aria-hidden="true">
      <span className="jp-AIServer-Ask-dots" />
      {props.trans.__('Running…')}
    </span>
  );
}

/** A line that shows what a generation is doing, and how long it has been running. */
export function Progress(props: {
  /** The value of `performance.now()` when the request was sent. */
  requestTime: number;
  /** Whether a part of the answer has arrived. */
  isWriting: boolean;
  /** The model's name; empty while it is unknown. */
  model: string;
  /**
   * The value that `performance.now()` will have when the server asks the model again; 0 if the
   * server isn't waiting to ask it again.
   */
  nextAttemptTime: number;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { requestTime, isWriting, nextAttemptTime, trans } = props;
  const [now, setNow] = React.useState(() => performance.now());
  React.useEffect(() => {
    const timer = window.setInterval(() => setNow(performance.now()), 1000);
    return () => window.clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.round((now - requestTime) / 1000));
  const modelName = props.model || trans.__('the model');
  let text = isWriting
    ? trans.__('Writing…')
    : removeChineseSpaces(trans.__('Waiting for %1…', modelName));
  const remaining = Math.ceil((nextAttemptTime - now) / 1000);
  if (!isWriting && remaining > 0) {
    text = removeChineseSpaces(
      trans.__(
        '%1 can’t answer now. Retrying in %2…',
        modelName,
        durationText(remaining * 1000, trans)
      )
    );
  } else if (!isWriting && seconds >= 20) {
    text = removeChineseSpaces(
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
        {seconds > 0 && remaining <= 0
          ? durationText(seconds * 1000, trans)
          : ''}
      </span>
    </span>
  );
}

/** The message of a failure, with buttons that help to fix its cause or repeat the request. */
export function Failure(props: {
  failure: IFailure;
  trans: TranslationBundle;
  onRetry: () => void;
  /** Stop the generation that another page runs for this cell, then send the request again. */
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

/** The button that opens the row's menu. */
export function MoreButton(props: {
  /** Open the menu at a position in the window. */
  openMenu: (x: number, y: number) => void;
  trans: TranslationBundle;
}): React.JSX.Element {
  const label = props.trans.__('More');
  return (
    <button
      type="button"
      className="jp-AIServer-Ask-button jp-mod-quiet"
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      onClick={event => {
        const box = event.currentTarget.getBoundingClientRect();
        props.openMenu(box.left, box.bottom);
      }}
    >
      ⋯
    </button>
  );
}
