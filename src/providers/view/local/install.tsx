/** The progress of a local model's installation, or that it was stopped or has failed. */
import * as React from 'react';

import type { TranslationBundle } from '@jupyterlab/translation';

import { failureText } from '../../../labels/failureText';
import { joinSentences } from '../../../labels/serverText';
import { Button } from '../../../ui/button';
import type { LocalModelEntry } from '../../../api/types';
import type { ILocalInstallState } from '../../model/localInstall';
import type { ModelChoice } from '../../model/modelChoice';
import { Problem, useServices } from '../parts';
import {
  amountText,
  downloadedText,
  remainingTimeText,
  speedText
} from './labels';

export function installingText(
  { installTarget }: ModelChoice,
  trans: TranslationBundle
): string {
  return installTarget
    ? trans.__('Installing %1', installTarget.label)
    : trans.__('Installing the local model');
}

function activityText(choice: ModelChoice, trans: TranslationBundle): string {
  switch (choice.install.state.progress?.phase) {
    case 'fetching':
      return installingText(choice, trans);
    case 'checking':
    case 'done':
      return trans.__('Verifying the download…');
    default:
      return trans.__('Finding a download source…');
  }
}

/** “211 of 491 MB · 8.3 MB/s · 35 s left” */
function progressText(
  state: ILocalInstallState,
  trans: TranslationBundle
): string {
  const { progress, speed } = state;
  if (progress?.phase !== 'fetching' || !progress.total) {
    return '';
  }
  const { bytes, total } = progress;
  const texts = [amountText(bytes, total, trans)];
  if (speed === 0) {
    texts.push(trans.__('waiting for the network…'));
  } else if (speed) {
    texts.push(speedText(speed, trans));
    texts.push(remainingTimeText((total - bytes) / speed, trans));
  }
  return texts.join(' · ');
}

/** `children`, such as a button, come below the bar. */
export function InstallBar(props: {
  children?: React.ReactNode;
}): React.JSX.Element {
  const { choice, trans } = useServices();
  const { state } = choice.install;
  const { progress, problem } = state;
  // The downloaded fraction; null if it is unknown.
  const fraction =
    progress?.phase === 'fetching' && progress.total
      ? Math.min(1, progress.bytes / progress.total)
      : null;
  const percent = fraction === null ? undefined : Math.floor(fraction * 100);
  const text = progressText(state, trans);
  return (
    <div className="jp-AIServer-Models-install">
      <div className="jp-AIServer-Models-activity">
        <span>{activityText(choice, trans)}</span>
        <span className="jp-AIServer-Models-figures">{text}</span>
      </div>
      <div
        className={
          'jp-AIServer-Models-bar' +
          (fraction === null ? ' jp-mod-waiting' : '')
        }
        role="progressbar"
        aria-label={installingText(choice, trans)}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text || activityText(choice, trans)}
      >
        <span style={{ width: `${(fraction ?? 0) * 100}%` }} />
      </div>
      {problem && (
        <p role="alert" className="jp-AIServer-Models-problem">
          {joinSentences(
            trans.__('The installation could not be stopped.'),
            failureText(problem, trans)
          )}
        </p>
      )}
      {props.children}
    </div>
  );
}

export function StopButton(props: { onStop?: () => void }): React.JSX.Element {
  const { choice, trans } = useServices();
  return (
    <Button
      label={trans.__('Stop')}
      run={() => {
        void choice.install.stop();
        props.onStop?.();
      }}
    />
  );
}

export function InstallNote(props: {
  /** The model of the last installation; null if it isn't listed. */
  entry: LocalModelEntry | null;
}): React.JSX.Element | null {
  const { entry } = props;
  const { choice, trans } = useServices();
  const { status, problem } = choice.install.state;
  if (status === 'stopped') {
    return (
      <p role="status">
        {entry?.kept
          ? trans.__('Stopped. %1 downloaded.', downloadedText(entry, trans))
          : trans.__('Stopped.')}
      </p>
    );
  }
  if (status === 'failed') {
    return <Problem failure={problem} />;
  }
  return null;
}
