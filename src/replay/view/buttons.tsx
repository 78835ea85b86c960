import { pauseIcon, runIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Tone } from '../../labels/stepLabels';
import { showTime } from '../../labels/time';
import { IconButton } from '../../ui/iconButton';
import type { ReplayPlayer } from '../model/player';
import { useReplay } from './context';
import { nextIcon, previousIcon } from './icons';

type ButtonProps = React.ButtonHTMLAttributes<HTMLButtonElement> & {
  /** Marks the button that gets the focus when its section is opened. */
  'data-focus'?: boolean;
};

export function TextButton(props: ButtonProps): React.JSX.Element {
  const { className = '', ...rest } = props;
  const classes = `jp-AIServer-Replay-button ${className}`.trim();
  return <button type="button" className={classes} {...rest} />;
}

export function LinkButton(props: ButtonProps): React.JSX.Element {
  const { className = '', ...rest } = props;
  const classes = `jp-AIServer-Replay-link ${className}`.trim();
  return <button type="button" className={classes} {...rest} />;
}

export function Chip(props: {
  /** The colour of the frame; `hand` is the colour of a person's changes. Default: neutral. */
  tone?: Tone | 'hand';
  title?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const tone = props.tone ? ` jp-mod-${props.tone}` : '';
  return (
    <span className={`jp-AIServer-Replay-chip${tone}`} title={props.title}>
      {props.children}
    </span>
  );
}

export function When(props: { time: string }): React.JSX.Element {
  const { locale, now } = useReplay();
  const { short, full } = showTime(props.time, now, locale);
  return (
    <time dateTime={props.time} title={full}>
      {short}
    </time>
  );
}

export function PlayButtons(props: {
  player: ReplayPlayer;
  previousLabel: string;
  nextLabel: string;
}): React.JSX.Element {
  const { player } = props;
  const { position, length, isPlaying } = player;
  const { model, trans } = useReplay();
  return (
    <>
      <IconButton
        icon={previousIcon}
        label={props.previousLabel}
        disabled={position <= 0}
        onClick={() => player.goTo(position - 1)}
      />
      <IconButton
        icon={isPlaying ? pauseIcon : runIcon}
        label={isPlaying ? trans.__('Pause') : trans.__('Play')}
        className="jp-mod-play"
        disabled={length < 2}
        onClick={() => {
          // The speed can be chosen only in the cell tab, so the timeline's player copies it.
          player.speed = model.player.speed;
          player.toggle();
        }}
      />
      <IconButton
        icon={nextIcon}
        label={props.nextLabel}
        disabled={position >= length - 1}
        onClick={() => player.goTo(position + 1)}
      />
    </>
  );
}
