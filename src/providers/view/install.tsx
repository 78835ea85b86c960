/**
 * The installation of the local model: how far it is, stopping it, going on.
 */
import * as React from 'react';

import type { TranslationBundle } from '@jupyterlab/translation';

import type { IInstallView } from '../model/localInstall';
import { failureText } from '../../labels/failureText';
import { joinSentences } from '../../labels/spacing';
import { Button, IModelServices, Problem } from './parts';
import { megabytes, restText, speedText } from './labels';

/** What is being done, in a few words. */
function doing(view: IInstallView, trans: TranslationBundle): string {
  switch (view.progress?.phase) {
    case 'fetching':
      return trans.__('Installing the local model');
    case 'checking':
    case 'done':
      return trans.__('Verifying the download…');
    default:
      return trans.__('Finding a download source…');
  }
}

/** "211 of 491 MB · 8.3 MB/s · 34 s left" */
function figures(view: IInstallView, trans: TranslationBundle): string {
  const { progress, speed } = view;
  if (progress?.phase !== 'fetching' || !progress.total) {
    return '';
  }
  const { bytes, total } = progress;
  const words = [trans.__('%1 of %2 MB', megabytes(bytes), megabytes(total))];
  if (speed === 0) {
    words.push(trans.__('waiting for the network…'));
  } else if (speed) {
    words.push(speedText(speed, trans));
    words.push(restText((total - bytes) / speed, trans));
  }
  return words.join(' · ');
}

/** The bar with its figures and Stop. */
export function InstallBar(props: {
  services: IModelServices;
  onStop?: () => void;
}): React.JSX.Element {
  const { services, onStop } = props;
  const { choice, trans } = services;
  const { view } = choice.install;
  const { progress, problem } = view;
  const part =
    progress?.phase === 'fetching' && progress.total
      ? Math.min(1, progress.bytes / progress.total)
      : null;
  const percent = part === null ? undefined : Math.floor(part * 100);
  const words = figures(view, trans);
  return (
    <div className="jp-AIServer-Models-install">
      <div className="jp-AIServer-Models-doing">
        <span>{doing(view, trans)}</span>
        <span className="jp-AIServer-Models-figures">{words}</span>
      </div>
      <div
        className={
          'jp-AIServer-Models-bar' + (part === null ? ' jp-mod-waiting' : '')
        }
        role="progressbar"
        aria-label={trans.__('Installing the local model')}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words || doing(view, trans)}
      >
        <span style={{ width: `${(part ?? 0) * 100}%` }} />
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

/** Why it does not run now: it was stopped, or it failed. Null if neither is so. */
export function InstallNote(props: {
  services: IModelServices;
}): React.JSX.Element | null {
  const { services } = props;
  const { trans } = services;
  const { status, problem } = services.choice.install.view;
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
    return <Problem failure={problem} services={services} />;
  }
  return null;
}
