/** Shows the progress of the local model's installation, or that it was stopped or has failed. */
import * as React from 'react';

import type { TranslationBundle } from '@jupyterlab/translation';

import type { ILocalInstallState } from '../model/localInstall';
import { failureText } from '../../labels/failureText';
import { joinSentences } from '../../labels/spacing';
import { Button } from '../../ui/button';
import { IModelServices, Problem } from './parts';
import { megabytes, remainingTimeText, speedText } from './labels';

/** Return the text for the current phase of the installation. */
function activityText(
  state: ILocalInstallState,
  trans: TranslationBundle
): string {
  switch (state.progress?.phase) {
    case 'fetching':
      return trans.__('Installing the local model');
    case 'checking':
    case 'done':
      return trans.__('Verifying the download…');
    default:
      return trans.__('Finding a download source…');
  }
}

/** Return the progress as text, such as “211 of 491 MB · 8.3 MB/s · 35 s left”. */
function progressText(
  state: ILocalInstallState,
  trans: TranslationBundle
): string {
  const { progress, speed } = state;
  if (progress?.phase !== 'fetching' || !progress.total) {
    return '';
  }
  const { bytes, total } = progress;
  const texts = [trans.__('%1 of %2 MB', megabytes(bytes), megabytes(total))];
  if (speed === 0) {
    texts.push(trans.__('waiting for the network…'));
  } else if (speed) {
    texts.push(speedText(speed, trans));
    texts.push(remainingTimeText((total - bytes) / speed, trans));
  }
  return texts.join(' · ');
}

/** The progress bar, with the progress as text and the Stop button. */
export function InstallBar(props: {
  services: IModelServices;
  /** Called after the Stop button was pressed. */
  onStop?: () => void;
}): React.JSX.Element {
  const { services, onStop } = props;
  const { choice, trans } = services;
  const { state } = choice.install;
  const { progress, problem } = state;
  // The fraction of the model that is downloaded; null if nothing is being downloaded.
  const fraction =
    progress?.phase === 'fetching' && progress.total
      ? Math.min(1, progress.bytes / progress.total)
      : null;
  const percent = fraction === null ? undefined : Math.floor(fraction * 100);
  const text = progressText(state, trans);
  return (
    <div className="jp-AIServer-Models-install">
      <div className="jp-AIServer-Models-activity">
        <span>{activityText(state, trans)}</span>
        <span className="jp-AIServer-Models-figures">{text}</span>
      </div>
      <div
        className={
          'jp-AIServer-Models-bar' +
          (fraction === null ? ' jp-mod-waiting' : '')
        }
        role="progressbar"
        aria-label={trans.__('Installing the local model')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={text || activityText(state, trans)}
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
      <Button
        label={trans.__('Stop')}
        run={() => {
          void choice.install.stop();
          onStop?.();
        }}
      />
    </div>
  );
}

/** A note that the installation was stopped or has failed. Empty in any other status. */
export function InstallNote(props: {
  services: IModelServices;
}): React.JSX.Element | null {
  const { services } = props;
  const { trans } = services;
  const { status, problem } = services.choice.install.state;
  const local = services.choice.list?.local;
  if (status === 'stopped') {
    return (
      <p role="status">
        {local?.kept
          ? trans.__(
              'Stopped. %1 of %2 MB downloaded.',
              megabytes(local.kept),
              megabytes(local.bytes)
            )
          : trans.__('Stopped.')}
      </p>
    );
  }
  if (status === 'failed') {
    return <Problem failure={problem} trans={trans} />;
  }
  return null;
}
