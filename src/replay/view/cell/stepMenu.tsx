/**
 * The menu with the other actions on the current step. Those that are missing or forbidden have no
 * entry.
 */
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { CommandIDs } from '../../../tokens';
import { createMenu, type MenuEntry, MenuButton } from '../../../ui/menuButton';
import { type IReplayContext, useReplay } from '../context';
import { showPrompt } from '../receipt/promptDialog';

export function StepMenu(): React.JSX.Element {
  const context = useReplay();
  return (
    <MenuButton
      label={context.trans.__('More about this step')}
      className="jp-AIServer-Replay-more"
      createMenu={() => createMenu(entryGroups(context))}
    />
  );
}

function entryGroups(context: IReplayContext): MenuEntry[][] {
  const { model, trans } = context;
  const { actions, again, step, steps } = model;
  const key = steps.shownCell;
  return [
    [
      {
        label: trans.__('Continue from here…'),
        isEnabled: actions.canBranch,
        run: () => void actions.branch()
      },
      {
        label: trans.__('Copy this version'),
        isEnabled: !!step?.code,
        run: () => actions.copy()
      },
      {
        label: trans.__('Insert this version below the cell'),
        isEnabled: actions.canInsert,
        run: () => actions.insertBelow()
      },
      key !== null &&
        model.subject.numberOf(key.cellId) === null && {
          label: trans.__('Give this history to the selected cell'),
          isEnabled: model.subject.canUndelete && !!model.subject.cell,
          run: () => void model.takeHistory()
        }
    ],
    step?.kind === 'turn' && step.title.trim()
      ? requestEntries(step, context)
      : [],
    [
      key &&
        step?.receipt?.hasPrompt !== undefined && {
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
  { dataframes, mode, title: text, turnId }: IShownStep,
  { commands, model, trans }: IReplayContext
): MenuEntry[] {
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
