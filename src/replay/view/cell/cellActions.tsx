/** The buttons and the menu of the current step, and a message about the last action. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { checkIcon, closeIcon, undoIcon } from '@jupyterlab/ui-components';
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { CommandIDs } from '../../../tokens';
import { IconButton } from '../../../ui/iconButton';
import { createMenu, MenuButton, type MenuEntry } from '../../../ui/menuButton';
import type { ActionResult } from '../../model/cell/actions';
import type { ReplayModel } from '../../model/replay';
import { LinkButton, TextButton } from '../buttons';
import { type IReplayContext, useReplay } from '../context';
import { compareIcon } from '../icons';
import { showPrompt } from '../receipt/promptDialog';

export function CellActions(): React.JSX.Element {
  const context = useReplay();
  const { model, trans } = context;
  const { actions, player } = model;
  return (
    <footer className="jp-AIServer-Replay-actions">
      <ResultMessage />
      <TextButton
        className="jp-mod-primary"
        aria-label={
          actions.isCurrentStepInCell
            ? undefined
            : trans.__('Restore this version')
        }
        aria-disabled={!actions.canRestore || undefined}
        title={disabledReason(model, trans)}
        onClick={() => void actions.restore()}
      >
        {actions.isCurrentStepInCell && <checkIcon.react tag="span" />}
        {actions.isCurrentStepInCell
          ? trans.__('Current version')
          : trans.__('Restore')}
      </TextButton>
      <IconButton
        icon={compareIcon}
        text={trans.__('Compare')}
        label={trans.__('Compare with another step')}
        disabled={model.steps.all.length < 2}
        pressed={player.positionA !== null}
        onClick={() =>
          player.compareWith(
            player.positionA === null ? previousOf(player.position) : null
          )
        }
      />
      <MenuButton
        label={trans.__('More about this step')}
        className="jp-AIServer-Replay-more"
        createMenu={() => createMenu(entryGroups(context))}
      />
    </footer>
  );
}

function previousOf(position: number): number {
  return position > 0 ? position - 1 : 1;
}

/** The message about the last action. It is drawn over the code, so that nothing else moves. */
function ResultMessage(): React.JSX.Element {
  const { model, trans } = useReplay();
  const { actions } = model;
  return (
    <div className="jp-AIServer-Replay-note" hidden={!actions.lastResult}>
      <span role="status">{resultText(actions.lastResult, trans)}</span>
      {actions.canUndo && (
        <LinkButton
          onClick={event => {
            focusPrimary(event);
            actions.undo();
          }}
        >
          <undoIcon.react tag="span" />
          {trans.__('Undo')}
        </LinkButton>
      )}
      <LinkButton
        aria-label={trans.__('Dismiss')}
        title={trans.__('Dismiss')}
        onClick={event => {
          focusPrimary(event);
          actions.clearLastResult();
        }}
      >
        <closeIcon.react tag="span" />
      </LinkButton>
    </div>
  );
}

/** Focus the button of the primary action, because the message's buttons are about to be hidden. */
function focusPrimary(event: React.MouseEvent<HTMLElement>): void {
  const primaryButton = '.jp-AIServer-Replay-button.jp-mod-primary';
  const footer = event.currentTarget.closest('footer');
  footer?.querySelector<HTMLElement>(primaryButton)?.focus();
}

function resultText(result: ActionResult, trans: TranslationBundle): string {
  const texts: Record<NonNullable<ActionResult>, string> = {
    restored: trans.__('Restored. Undo to get the previous code back.'),
    accepted: trans.__('Accepted. Undo to get the previous code back.'),
    branched: trans.__('Restored. Your next request continues from here.'),
    copied: trans.__('Copied.'),
    inserted: trans.__('Inserted below the cell.'),
    unrecorded: trans.__(
      'Restored, but this step could not be saved to the history.'
    )
  };
  return result ? texts[result] : '';
}

function disabledReason(
  model: ReplayModel,
  trans: TranslationBundle
): string | undefined {
  const { actions } = model;
  if (actions.canRestore) {
    return undefined;
  }
  if (!model.steps.isActiveCellShown) {
    return trans.__('The cell is no longer in the notebook.');
  }
  if (!actions.isWritable) {
    return trans.__('The cell or its notebook is read-only.');
  }
  return actions.isCurrentStepInCell
    ? trans.__('This is the current version.')
    : trans.__('This step has no code.');
}

function entryGroups(context: IReplayContext): MenuEntry[][] {
  const { model, trans } = context;
  const { actions, again, step, steps } = model;
  const key = steps.shownCell;
  if (!step || !key) {
    return [];
  }
  return [
    [
      {
        label: trans.__('Continue from here…'),
        isEnabled: actions.canBranch,
        run: () => void actions.branch()
      },
      {
        label: trans.__('Copy this version'),
        isEnabled: step.code !== '',
        run: () => actions.copy()
      },
      {
        label: trans.__('Insert this version below the cell'),
        isEnabled: actions.canInsert,
        run: () => actions.insertBelow()
      },
      // The shown cell is deleted.
      key.info === null &&
        model.subject.numberOf(key.cellId) === null && {
          label: trans.__('Give this history to the selected cell'),
          isEnabled: model.canTakeHistory,
          run: () => void model.takeHistory()
        }
    ],
    requestEntries(step, context),
    [
      step.receipt?.hasPrompt !== undefined && {
        label: trans.__('What the model saw'),
        run: () => void showPrompt(step, steps.all, key, context)
      },
      again.canShowTable && {
        label: trans.__('Compare with the original answers'),
        run: () => void again.showTable()
      }
    ]
  ];
}

function requestEntries(
  { dataframes, kind, mode, title: text, turnId }: IShownStep,
  { commands, model, trans }: IReplayContext
): MenuEntry[] {
  if (kind !== 'turn' || !text.trim()) {
    return [];
  }
  const { isActiveCellShown, shownCell } = model.steps;
  const { addMemory, askWithCurrentData, saveRecipe } = CommandIDs;
  const { notebookId, cellId } = shownCell ?? {};
  const memory = { text, notebookId, cellId, turnId: turnId ?? 0 };
  const canRun = (command: string) => commands.hasCommand(command);
  return [
    // The page composed the request of a repair, so it isn't asked again.
    dataframes &&
      mode !== 'repair' &&
      canRun(askWithCurrentData) && {
        label: trans.__('Ask again with today’s data'),
        isEnabled: isActiveCellShown,
        run: () =>
          void commands.execute(askWithCurrentData, { text, dataframes })
      },
    model.again.isAvailable && {
      label: trans.__('Ask the history again…'),
      isEnabled: isActiveCellShown,
      run: () => model.again.open()
    },
    canRun(saveRecipe) && {
      label: trans.__('Save as recipe…'),
      run: () => void commands.execute(saveRecipe, { text })
    },
    shownCell &&
      canRun(addMemory) && {
        label: trans.__('Remember…'),
        run: () => void commands.execute(addMemory, memory)
      }
  ];
}
