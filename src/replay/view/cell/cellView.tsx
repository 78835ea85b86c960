/** The cell tab: the cell's name, the player, the current step, its actions, the list of steps. */
import { checkIcon, undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { STEP_MS } from '../../model/player';
import { findLastWorking } from '../../../records/runs';
import { CellActions } from './cellActions';
import { cellName } from '../../../labels/cellNames';
import { CompareView } from './compareView';
import { Chip, LinkButton } from '../buttons';
import { useReplay } from '../context';
import { Player, SPLIT_WIDTH } from './player';
import { StepList } from './stepList';
import { StepView } from './stepView';
import { useWidth } from '../../../ui/width';
import { When } from '../when';

/** In a sidebar narrower than this, in pixels, the details of a step are below its title. */
const MIN_ONE_LINE_WIDTH = 480;

export function CellView(): React.JSX.Element {
  const { model } = useReplay();
  const { step, player, compare, compared } = model;
  const { all: steps, shown } = model.steps;
  const { position } = player;
  const root = React.useRef<HTMLDivElement>(null);
  const width = useWidth(root);
  const newestTurn = React.useMemo(
    () =>
      steps.reduce(
        (newest, { kind }, index) => (kind === 'turn' ? index : newest),
        -1
      ),
    [steps]
  );
  const split = model.diffMode === 'split' && width >= SPLIT_WIDTH;
  const mimeType = shown?.mimeType ?? 'text/plain';
  const code = { split, mimeType };
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
          {compared ? (
            <CompareView from={compared} to={step} {...code} />
          ) : (
            <StepView
              step={step}
              position={position}
              isNewestTurn={position === newestTurn}
              transitionMs={
                player.isChosenByPlayback
                  ? Math.min(600, STEP_MS / player.speed / 2)
                  : 0
              }
              {...code}
            />
          )}
          <CellActions />
        </div>
      )}
      <StepList
        steps={steps}
        position={position}
        from={compare.from}
        newestTurn={newestTurn}
        isNarrow={width > 0 && width < MIN_ONE_LINE_WIDTH}
      />
    </div>
  );
}

function CellHead(): React.JSX.Element {
  const { model, trans } = useReplay();
  const { actions } = model;
  const { all: steps, shown } = model.steps;
  const since = steps[0]?.timestamp;
  const count = trans._n('%1 step, started', '%1 steps, started', steps.length);
  return (
    <header className="jp-AIServer-Replay-head">
      <h2>{cellName(shown?.info?.number ?? null, trans)}</h2>
      <span className="jp-AIServer-Replay-since">
        {count} {since && <When time={since} />}
      </span>
      {actions.hasUnrecordedEdits && (
        <Chip
          tone="hand"
          title={trans.__('The cell has been edited since its last step.')}
        >
          {trans.__('edited since')}
        </Chip>
      )}
      <LastWorkingVersion />
      {!shown?.info && (
        <LinkButton onClick={() => model.steps.pin(null)}>
          {trans.__('Back')}
        </LinkButton>
      )}
    </header>
  );
}

/**
 * A chip if the cell's source is the last version that ran without an error; otherwise a link that
 * restores this version.
 */
function LastWorkingVersion(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  const { actions } = model;
  const { all: steps } = model.steps;
  const lastWorking = React.useMemo(() => findLastWorking(steps), [steps]);
  if (lastWorking === null || !model.steps.isFollowing) {
    return null;
  }
  if (actions.matchesCell(lastWorking)) {
    return (
      <Chip tone="good">
        <checkIcon.react tag="span" />
        {trans.__('no errors')}
      </Chip>
    );
  }
  return (
    <LinkButton
      aria-label={trans.__('Restore last working version')}
      title={trans.__(
        'Restore step %1, the last version that ran without an error',
        lastWorking + 1
      )}
      aria-disabled={actions.lastWorkingStep === null || undefined}
      onClick={() => void actions.restoreLastWorking()}
    >
      <undoIcon.react tag="span" />
      {trans.__('Restore last working version')}
    </LinkButton>
  );
}
