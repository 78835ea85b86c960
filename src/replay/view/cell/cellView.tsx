/** The cell tab: the player, the current step or a comparison, its buttons, all steps. */
import { checkIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { cellName } from '../../../labels/cellNames';
import { dotKind, stepTitle } from '../../../labels/stepLabels';
import { sumReceipts, totalsText } from '../../../prompt/usageLabels';
import { answersOf } from '../../../records/answers';
import type { IShownStep } from '../../../records/fold';
import { findLastWorking, lastRunOf } from '../../../records/runs';
import { IconButton } from '../../../ui/iconButton';
import { useWidth } from '../../../ui/width';
import { SPEEDS, STEP_MS } from '../../model/player';
import { AskAgainSection } from '../again/askAgainView';
import { Chip, LinkButton, PlayButtons } from '../buttons';
import { useReplay } from '../context';
import { splitIcon } from '../icons';
import { Slider } from '../slider';
import { CellActions } from './cellActions';
import { CompareView } from './compareView';
import { StepList } from './stepList';
import { StepView } from './stepView';

const MIN_ONE_LINE_WIDTH = 480;

export function CellView(): React.JSX.Element {
  const { model } = useReplay();
  const { step, player, comparedStep } = model;
  const { all: steps, shownCell } = model.steps;
  const { position } = player;
  const root = React.useRef<HTMLDivElement>(null);
  const width = useWidth(root);
  const isSplit = model.diffMode === 'split' && width >= MIN_SPLIT_WIDTH;
  const mimeType = shownCell?.mimeType ?? 'text/plain';
  const codeProps = { isSplit, mimeType };
  return (
    <div
      ref={root}
      className="jp-AIServer-Replay-cellView"
      aria-busy={model.steps.isLoading || undefined}
    >
      <CellHead />
      <Player steps={steps} width={width} />
      {step && (
        <div className="jp-AIServer-Replay-stage">
          {comparedStep ? (
            <CompareView stepA={comparedStep} stepB={step} {...codeProps} />
          ) : (
            <StepView
              step={step}
              position={position}
              transitionMs={
                // During playback, new code fades in, for at most half of the time of the step.
                player.isChosenByPlayback
                  ? Math.min(600, STEP_MS / player.speed / 2)
                  : 0
              }
              {...codeProps}
            />
          )}
          <CellActions />
          <AskAgainSection />
        </div>
      )}
      <StepList
        models={model.models}
        steps={steps}
        position={position}
        positionA={player.positionA}
        isNarrow={width > 0 && width < MIN_ONE_LINE_WIDTH}
      />
    </div>
  );
}

function CellHead(): React.JSX.Element {
  const { model, trans } = useReplay();
  const { actions } = model;
  const { all: steps, shownCell, summaries } = model.steps;
  const totals = React.useMemo(() => {
    const turns = steps.filter(({ kind }) => kind === 'turn');
    const receipts = turns.flatMap(answersOf).map(({ receipt }) => receipt);
    return totalsText(sumReceipts([...receipts, ...summaries]), trans);
  }, [steps, summaries, trans]);
  const working = model.steps.at(findLastWorking(steps) ?? -1);
  return (
    <header className="jp-AIServer-Replay-head">
      <h2>{cellName(shownCell?.info?.number ?? null, trans)}</h2>
      <span className="jp-AIServer-Replay-since">
        {trans._n('%1 step', '%1 steps', steps.length)}
      </span>
      {totals && (
        <span
          className="jp-AIServer-Replay-totals"
          title={trans.__('All requests in this cell')}
        >
          {totals}
        </span>
      )}
      {actions.hasUnrecordedEdits && (
        <Chip
          tone="hand"
          title={trans.__('The cell has been edited since its last step.')}
        >
          {trans.__('edited since')}
        </Chip>
      )}
      {working && actions.isInCell(working) && (
        <Chip tone="good">
          <checkIcon.react tag="span" />
          {trans.__('no errors')}
        </Chip>
      )}
      {!shownCell?.info && (
        <LinkButton onClick={() => model.steps.pin(null)}>
          {trans.__('Back')}
        </LinkButton>
      )}
    </header>
  );
}

const MIN_SPLIT_WIDTH = 400;

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
        positionA={model.player.positionA}
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
