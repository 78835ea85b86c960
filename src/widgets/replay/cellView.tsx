/** The steps of one cell: its name, the player, the step on show, what to do with it, the list. */
import { checkIcon, copyIcon, undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { ReplayModel } from '../../models/replay';
import { useReplay } from './context';
import { Player } from './player';
import { StepList } from './stepList';
import { StepView } from './stepView';
import { cellName } from './words';
import { When } from './when';

export function CellView(props: {
  model: ReplayModel;
  copy: (text: string) => void;
}): React.JSX.Element {
  const { model } = props;
  const { steps, step, shown, player } = model;
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
  const modelInfo = React.useCallback(
    (id: string) => model.modelInfo(id),
    [model]
  );
  return (
    <div
      className="jp-AIServer-Replay-cellView"
      aria-busy={model.isLoading || undefined}
    >
      <CellHead model={model} />
      <Player player={player} steps={steps} />
      {step && (
        <div className="jp-AIServer-Replay-stage">
          <StepView
            step={step}
            position={player.position}
            isNewestTurn={player.position === newestTurn}
            mimeType={shown?.mimeType ?? 'text/plain'}
            model={step.model ? model.modelInfo(step.model) : null}
          />
          <Actions {...props} />
        </div>
      )}
      <StepList
        steps={steps}
        position={player.position}
        newestTurn={newestTurn}
        modelInfo={modelInfo}
        onSelect={select}
      />
    </div>
  );
}

function CellHead(props: { model: ReplayModel }): React.JSX.Element {
  const { model } = props;
  const { trans } = useReplay();
  const { steps, shown } = model;
  const since = steps[0]?.timestamp;
  const count = trans._n('%1 step, begun', '%1 steps, begun', steps.length);
  return (
    <header className="jp-AIServer-Replay-head">
      <h2>{cellName(shown?.info ?? null, trans)}</h2>
      <span className="jp-AIServer-Replay-since">
        {count} {since && <When time={since} />}
      </span>
      {model.isEditedSince && (
        <span
          className="jp-AIServer-Replay-chip jp-mod-hand"
          title={trans.__('The cell has been changed since its last step.')}
        >
          {trans.__('edited since')}
        </span>
      )}
      {!shown?.info && (
        <button
          type="button"
          className="jp-AIServer-Replay-link"
          onClick={() => model.unpin()}
        >
          {trans.__('Back')}
        </button>
      )}
    </header>
  );
}

function Actions(props: {
  model: ReplayModel;
  copy: (text: string) => void;
}): React.JSX.Element {
  const { model, copy } = props;
  const { trans } = useReplay();
  const [copied, setCopied] = React.useState<unknown>(null);
  const { step, note } = model;
  return (
    <footer className="jp-AIServer-Replay-actions">
      <button
        type="button"
        className="jp-AIServer-Replay-button jp-mod-primary"
        aria-disabled={!model.canRestore || undefined}
        title={whyNot(props.model, trans)}
        onClick={() => void model.restore()}
      >
        {model.isInCell && <checkIcon.react tag="span" />}
        {model.isInCell
          ? trans.__('In the cell now')
          : trans.__('Restore this version')}
      </button>
      <button
        type="button"
        className="jp-AIServer-Replay-button jp-AIServer-Replay-copy"
        aria-label={trans.__('Copy this version')}
        title={trans.__('Copy this version')}
        aria-disabled={!step?.code || undefined}
        onClick={() => {
          if (step?.code) {
            copy(step.code);
            setCopied(step);
          }
        }}
      >
        {copied === step ? (
          <checkIcon.react tag="span" />
        ) : (
          <copyIcon.react tag="span" />
        )}
        <span>{copied === step ? trans.__('Copied') : trans.__('Copy')}</span>
      </button>
      <div className="jp-AIServer-Replay-note">
        <span role="status">
          {note === 'restored' &&
            trans.__('Restored. Undo brings back what the cell held.')}
          {note === 'unrecorded' &&
            trans.__('Restored, but the history could not be written.')}
        </span>
        {note && (
          <button
            type="button"
            className="jp-AIServer-Replay-link"
            onClick={() => model.undoRestore()}
          >
            <undoIcon.react tag="span" />
            {trans.__('Undo')}
          </button>
        )}
      </div>
    </footer>
  );
}

/** Why the step can't be restored; undefined where it can. */
function whyNot(
  model: ReplayModel,
  trans: ReturnType<typeof useReplay>['trans']
): string | undefined {
  if (model.canRestore) {
    return undefined;
  }
  if (!model.isFollowing) {
    return trans.__('The cell is no longer in the notebook.');
  }
  if (!model.isWritable) {
    return trans.__('The cell or its notebook is read-only.');
  }
  return model.isInCell
    ? trans.__('The cell holds this version.')
    : trans.__('This step has no code.');
}
