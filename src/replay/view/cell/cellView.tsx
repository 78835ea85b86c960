/** The cell tab: the cell's name, the player, the current step, its actions, the list of steps. */
import { checkIcon, undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { ReplayModel } from '../../model/replay';
import { STEP_MS } from '../../model/player';
import { findLastWorking } from '../../../records/runs';
import { CellActions } from './cellActions';
import { cellName } from '../../../labels/cellNames';
import { CompareView } from './compareView';
import { useReplay } from '../context';
import { Player, SPLIT_WIDTH } from './player';
import { StepList } from './stepList';
import { StepView } from './stepView';
import { useWidth } from '../../../ui/width';
import { When } from '../when';

/** Below this width, in pixels, a row's details are drawn below its title. */
const LIST_WIDTH = 480;

export function CellView(props: {
  model: ReplayModel;
  copy: (text: string) => void;
}): React.JSX.Element {
  const { model } = props;
  const { step, player, compare, compared } = model;
  const { all: steps, shown } = model.steps;
  const { position } = player;
  const root = React.useRef<HTMLDivElement>(null);
  const width = useWidth(root);
  const newestTurn = React.useMemo(
    () => steps.reduce((at, { kind }, i) => (kind === 'turn' ? i : at), -1),
    [steps]
  );
  const select = React.useCallback(
    (at: number) => {
      if (at !== player.position) {
        player.goTo(at);
      }
    },
    [player]
  );
  const startCompare = React.useCallback(
    (at: number) => compare.start(at),
    [compare]
  );
  const modelInfo = React.useCallback(
    (id: string) => model.modelInfo(id),
    [model]
  );
  const fetchImage = React.useCallback(
    (sha256: string, signal?: AbortSignal) => model.fetchImage(sha256, signal),
    [model]
  );
  const open = React.useCallback(
    (cellId: string) => void model.goTo(cellId),
    [model]
  );
  const split = model.diffMode === 'split' && width >= SPLIT_WIDTH;
  const mimeType = shown?.mimeType ?? 'text/plain';
  return (
    <div
      ref={root}
      className="jp-AIServer-Replay-cellView"
      aria-busy={model.steps.isLoading || undefined}
    >
      <CellHead model={model} />
      <Player model={model} steps={steps} width={width} />
      {step && (
        <div className="jp-AIServer-Replay-stage">
          {compared ? (
            <CompareView
              model={model}
              from={compared}
              to={step}
              split={split}
              mimeType={mimeType}
              fetchImage={fetchImage}
            />
          ) : (
            <StepView
              step={step}
              position={position}
              isNewestTurn={position === newestTurn}
              split={split}
              pace={
                player.isAuto ? Math.min(600, STEP_MS / player.speed / 2) : 0
              }
              mimeType={mimeType}
              model={step.model ? model.modelInfo(step.model) : null}
              fetchImage={fetchImage}
              describeCells={model.describeCells}
              onOpen={open}
            />
          )}
          <CellActions {...props} />
        </div>
      )}
      <StepList
        steps={steps}
        position={position}
        from={compare.from}
        newestTurn={newestTurn}
        isNarrow={width > 0 && width < LIST_WIDTH}
        modelInfo={modelInfo}
        onSelect={select}
        onCompare={startCompare}
      />
    </div>
  );
}

function CellHead(props: { model: ReplayModel }): React.JSX.Element {
  const { model } = props;
  const { trans } = useReplay();
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
        <span
          className="jp-AIServer-Replay-chip jp-mod-hand"
          title={trans.__('The cell has been edited since its last step.')}
        >
          {trans.__('edited since')}
        </span>
      )}
      <LastWorkingVersion model={model} />
      {!shown?.info && (
        <button
          type="button"
          className="jp-AIServer-Replay-link"
          onClick={() => model.steps.pin(null)}
        >
          {trans.__('Back')}
        </button>
      )}
    </header>
  );
}

/** A chip if the cell's source ran without an error; else a link that restores what did. */
function LastWorkingVersion(props: {
  model: ReplayModel;
}): React.JSX.Element | null {
  const { model } = props;
  const { trans } = useReplay();
  const { actions } = model;
  const { all: steps } = model.steps;
  const lastWorking = React.useMemo(() => findLastWorking(steps), [steps]);
  if (lastWorking === null || !model.steps.isFollowing) {
    return null;
  }
  if (actions.matchesCell(lastWorking)) {
    return (
      <span className="jp-AIServer-Replay-chip jp-mod-good">
        <checkIcon.react tag="span" />
        {trans.__('no errors')}
      </span>
    );
  }
  return (
    <button
      type="button"
      className="jp-AIServer-Replay-link"
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
    </button>
  );
}
