/** The ids of AI Server's commands, which `tokens.ts` exports. */
export namespace CommandIDs {
  export const ask = 'aiserver:ask-cell';
  /** Open the prompt row with the DataFrame picker. */
  export const askDataFrame = 'aiserver:ask-dataframe';
  /**
   * Put a request (`text`) and its `dataframes` into the prompt row, as they are now; send nothing.
   */
  export const askWithCurrentData = 'aiserver:ask-with-current-data';
  /** Open the prompt row with a mention of the data file that is selected in the file browser. */
  export const askAboutFile = 'aiserver:ask-about-file';
  export const fix = 'aiserver:fix-error';
  /** Ask why the error below the active cell occurs. */
  export const explainResult = 'aiserver:explain-result';
  export const explainError = 'aiserver:explain-error';
  export const accept = 'aiserver:accept-suggestion';
  /** Accept the suggestion, run the cell, and let the model correct errors of the run. */
  export const acceptAndRun = 'aiserver:accept-and-run';
  export const reject = 'aiserver:reject-suggestion';
  export const stop = 'aiserver:stop-generation';
  export const preview = 'aiserver:preview-request';
  export const rulesFiles = 'aiserver:show-rules-files';
  /** Save the argument `text`, or else the text in the open row. */
  export const saveRecipe = 'aiserver:save-recipe';
  /** Stop sending the cell's past turns to the model. */
  export const reset = 'aiserver:reset-context';
  /** Arguments: `{tab?, time?}`. */
  export const showReplay = 'aiserver:show-replay';
  export const showData = 'aiserver:show-data';
  export const showMemory = 'aiserver:show-memory';
  /** Begin an entry with the argument `text` and those of its source. */
  export const addMemory = 'aiserver:add-memory';
  /** Show a step in the sidebar: `{cellId, step?, seq?, turnId?}`. */
  export const showStep = 'aiserver:show-step';
  /** Show what the person did in the notebook the last time. */
  export const showLastTime = 'aiserver:show-last-time';
  export const search = 'aiserver:search-replay';
  /** Restore the step that the sidebar shows. */
  export const restore = 'aiserver:restore-step';
  /** Restore the active cell's last version that ran without an error. */
  export const restoreClean = 'aiserver:restore-clean';
  /** Ask the requests that led to the shown version again, of another model. */
  export const askAgain = 'aiserver:ask-again';
  /** Show or hide the contributor of each line. */
  export const blame = 'aiserver:toggle-blame';
  /** Show the step that wrote the line with the cursor. */
  export const showStepOfLine = 'aiserver:show-line-step';
  /** `format` is html, md or ipynb. */
  export const exportReplay = 'aiserver:export-replay';
  export const exportUsage = 'aiserver:export-usage';
  /** Show an agent's next proposal that waits in the notebook. */
  export const nextProposal = 'aiserver:next-proposal';
  /** Accept the waiting proposals of `run`, by default the newest that has any. */
  export const acceptRun = 'aiserver:accept-run';
  export const connect = 'aiserver:connect-provider';
  export const localModels = 'aiserver:open-local-models';
  export const modelSettings = 'aiserver:open-model-settings';
  export const firstSteps = 'aiserver:open-first-steps';
}
