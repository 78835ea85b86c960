import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { SPEEDS } from '../../model/player';
import { lastRunOf } from '../../../records/runs';
import { useReplay } from '../context';
import { IconButton } from '../../../ui/iconButton';
import { splitIcon } from '../icons';
import { PlayButtons } from '../buttons';
import { Slider } from '../slider';
import { dotKind, stepTitle } from '../../../labels/stepLabels';

/** The sidebar's minimum width for side-by-side diffs, in pixels. */
export const MIN_SPLIT_WIDTH = 400;

export function Player(props: {
  steps: readonly IShownStep[];
  width: number;
}): React.JSX.Element {
  const { steps, width } = props;
  const { model, trans } = useReplay();
  const { player } = model;
  const canSplit = width >= MIN_SPLIT_WIDTH;
  const { position } = player;
  const dots = React.useMemo(
    () =>
      steps.map(step =>
        lastRunOf(step)?.outcome === 'error' ? 'bad' : dotKind(step)
      ),
    [steps]
  );
  const step = steps[position];
  const positionText = trans.__('Step %1 of %2', position + 1, steps.length);
  const shortPositionText = trans.__('%1 of %2', position + 1, steps.length);
  return (
    <div className="jp-AIServer-Replay-player">
      <Slider
        dots={dots}
        position={position}
        positionA={model.comparison.positionA}
        width={width}
        label={trans.__('Cell steps')}
        valueText={
          step
            ? trans.__('%1: %2', positionText, stepTitle(step, trans))
            : positionText
        }
        onMove={target => player.goTo(target)}
        onPlay={() => player.toggle()}
      />
      <div className="jp-AIServer-Replay-controls">
        <PlayButtons
          player={player}
          previousLabel={trans.__('Previous step')}
          nextLabel={trans.__('Next step')}
        />
        <span className="jp-AIServer-Replay-count">{shortPositionText}</span>
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
        {canSplit && (
          <IconButton
            icon={splitIcon}
            label={trans.__('Show changes side by side')}
            pressed={model.diffMode === 'split'}
            onClick={() => {
              model.diffMode = model.diffMode === 'split' ? 'inline' : 'split';
            }}
          />
        )}
      </div>
    </div>
  );
}
