/**
 * The menu with the actions on the current step, except restoring and comparing, which have buttons
 * of their own. Actions whose feature is missing or forbidden have no entry.
 */
import React from 'react';

import type { IShownStep } from '../../../records/fold';
import { CommandIDs } from '../../../tokens';
import {
  createMenu,
  type IMenuEntry,
  MenuButton
} from '../../../ui/menuButton';
import { type IReplayContext, useReplay } from '../context';
import { showPrompt } from '../receipt/promptDialog';

export function StepMenu(): React.JSX.Element {
  const context = useReplay();
  const { model, trans } = context;
  return (
    <MenuButton
      label={trans.__('More about this step')}
      className="jp-AIServer-Replay-more"
      createMenu={() =>
        createMenu([
          versionEntries(context),
          model.step ? requestEntries(model.step, context) : [],
          model.step ? detailEntries(model.step, context) : []
        ])
      }
    />
  );
}

/** Return the entries about the code of the current step. */
function versionEntries({ model, trans }: IReplayContext): IMenuEntry[] {
  const { actions, step } = model;
  return [
    {
      label: trans.__('Continue from here…'),
      caption: trans.__('Branch from here with a different request'),
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
    }
  ];
}

/** Return the entries about a step's request; none if the step isn't a request with a text. */
function requestEntries(
  step: IShownStep,
  { commands, model, trans }: IReplayContext
): IMenuEntry[] {
  const { kind, dataframes, mode, title, turnId } = step;
  const { isActiveCellShown, shownCell } = model.steps;
  if (kind !== 'turn' || !title.trim()) {
    return [];
  }
  const { addMemory, askWithCurrentData, saveRecipe } = CommandIDs;
  const isMissing = trans.__('The cell is no longer in the notebook.');
  const entries: IMenuEntry[] = [];
  // The page composed the request of a repair, so it isn't asked again.
  if (
    dataframes &&
    mode !== 'repair' &&
    commands.hasCommand(askWithCurrentData)
  ) {
    entries.push({
      label: trans.__('Ask again with today’s data'),
      caption: isActiveCellShown
        ? trans.__(
            'Put this request and its DataFrames into the cell’s prompt row, as they are in the kernel now. Nothing is sent yet.'
          )
        : isMissing,
      isEnabled: isActiveCellShown,
      run: () =>
        void commands.execute(askWithCurrentData, { text: title, dataframes })
    });
  }
  if (model.again.isAvailable) {
    entries.push({
      label: trans.__('Ask the history again…'),
      caption: isActiveCellShown
        ? trans.__('Ask the history again with another model')
        : isMissing,
      isEnabled: isActiveCellShown,
      run: () => model.again.open()
    });
  }
  if (commands.hasCommand(saveRecipe)) {
    entries.push({
      label: trans.__('Save as recipe…'),
      caption: trans.__(
        'Save the text of the request for later, as a slash word'
      ),
      run: () => void commands.execute(saveRecipe, { text: title })
    });
  }
  if (shownCell && commands.hasCommand(addMemory)) {
    const { notebookId, cellId } = shownCell;
    const source = { notebookId, cellId, turnId: turnId ?? 0 };
    entries.push({
      label: trans.__('Remember…'),
      caption: trans.__(
        'Write down what of this request holds for other cells'
      ),
      run: () => void commands.execute(addMemory, { text: title, ...source })
    });
  }
  return entries;
}

/** Return the entries that show more about a step: the prompt, and the answers to compare. */
function detailEntries(
  step: IShownStep,
  context: IReplayContext
): IMenuEntry[] {
  const { model, trans } = context;
  const { again, steps } = model;
  const key = steps.shownCell;
  const entries: IMenuEntry[] = [];
  if (key && step.receipt?.hasPrompt !== undefined) {
    entries.push({
      label: trans.__('What the model saw'),
      caption: trans.__('Show what was sent to the model for this request'),
      run: () => void showPrompt(step, steps.all, key, context)
    });
  }
  if (again.canShowTable) {
    entries.push({
      label: trans.__('Compare with the original answers'),
      run: () => void again.showTable()
    });
  }
  return entries;
}
