import { pauseIcon, runIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { IconButton } from '../../ui/iconButton';
import type { ReplayPlayer } from '../model/player';
import { useReplay } from './context';
import { nextIcon, previousIcon } from './icons';

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
