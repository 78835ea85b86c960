/** The slider and the buttons that go through the steps. */
import { LabIcon, pauseIcon, runIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { Step } from '../../api/types';
import { ReplayPlayer, SPEEDS } from '../../models/replayPlayer';
import { useReplay } from './context';
import { nextIcon, previousIcon } from './icons';
import { Slider } from './slider';
import { dotKind, stepTitle } from './words';

export function Player(props: {
  player: ReplayPlayer;
  steps: readonly Step[];
}): React.JSX.Element {
  const { player, steps } = props;
  const { trans } = useReplay();
  const { position } = player;
  const dots = React.useMemo(() => steps.map(dotKind), [steps]);
  const step = steps[position];
  const count = trans.__('Step %1 of %2', position + 1, steps.length);
  const short = trans.__('%1 of %2', position + 1, steps.length);
  return (
    <div className="jp-AIServer-Replay-player">
      <Slider
        dots={dots}
        position={position}
        label={trans.__('Steps of the cell')}
        valueText={step ? `${count}: ${stepTitle(step, trans)}` : count}
        onMove={target => player.goTo(target)}
      />
      <div className="jp-AIServer-Replay-controls">
        <IconButton
          icon={previousIcon}
          label={trans.__('Previous step')}
          disabled={position <= 0}
          onClick={() => player.goTo(position - 1)}
        />
        <IconButton
          icon={player.isPlaying ? pauseIcon : runIcon}
          label={player.isPlaying ? trans.__('Pause') : trans.__('Play')}
          className="jp-mod-play"
          disabled={steps.length < 2}
          onClick={() => (player.isPlaying ? player.pause() : player.play())}
        />
        <IconButton
          icon={nextIcon}
          label={trans.__('Next step')}
          disabled={position >= steps.length - 1}
          onClick={() => player.goTo(position + 1)}
        />
        <span className="jp-AIServer-Replay-count">{short}</span>
        <select
          className="jp-AIServer-Replay-speed"
          aria-label={trans.__('Speed')}
          title={trans.__('Speed')}
          value={player.speed}
          onChange={event => {
            player.speed = Number(event.target.value);
          }}
        >
          {SPEEDS.map(speed => (
            <option key={speed} value={speed}>
              {speed}×
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}

export function IconButton(props: {
  icon: LabIcon;
  label: string;
  disabled?: boolean;
  className?: string;
  onClick: () => void;
}): React.JSX.Element {
  const { icon, label, disabled, className, onClick } = props;
  // `aria-disabled` and not `disabled`: at the last step the button keeps the focus.
  return (
    <button
      type="button"
      className={`jp-AIServer-Replay-iconButton ${className ?? ''}`}
      aria-label={label}
      title={label}
      aria-disabled={disabled || undefined}
      onClick={disabled ? undefined : onClick}
    >
      <icon.react tag="span" />
    </button>
  );
}
