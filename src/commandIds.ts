/** The ids of AI Server's commands. Other modules import them from `tokens.ts`. */
export namespace CommandIDs {
  /** Open the prompt row of the active cell. */
  export const ask = 'aiserver:ask-cell';
  /** Open the prompt row with the DataFrame picker. */
  export const askDataFrame = 'aiserver:ask-dataframe';
  /** Put a request (`text`) and its `dataframes` into the prompt row, as they are now; send nothing. */
  export const askWithCurrentData = 'aiserver:ask-with-current-data';
  /** Open the prompt row with a mention of the data file that is selected in the file browser. */
  export const askAboutFile = 'aiserver:ask-about-file';
  /** Ask for a fix of the error below the active cell. */
  export const fix = 'aiserver:fix-error';
  /** Ask why the error below the active cell occurs. */
  export const explainResult = 'aiserver:explain-result';
  export const explainError = 'aiserver:explain-error';
  export const accept = 'aiserver:accept-suggestion';
  /** Accept the suggestion, run the cell, and let the model correct errors of the run. */
  export const acceptAndRun = 'aiserver:accept-and-run';
  export const reject = 'aiserver:reject-suggestion';
  export const stop = 'aiserver:stop-generation';
  /** Preview the messages that a request would send to the model. */
  export const preview = 'aiserver:preview-request';
  /** Open the dialog with the rules files for the notebook, such as AGENTS.md. */
  export const rulesFiles = 'aiserver:show-rules-files';
  /** Save a request as a recipe: the argument `text`, or else the text in the open row. */
  export const saveRecipe = 'aiserver:save-recipe';
  /** Start a new conversation: stop sending the cell's past turns to the model. */
  export const reset = 'aiserver:reset-context';
  /** Show the replay's sidebar: `{tab?, time?}`. */
  export const showReplay = 'aiserver:show-replay';
  /** Show the sidebar with the kernel's DataFrames and arrays. */
  export const showData = 'aiserver:show-data';
  /** Show the sidebar with what is remembered. */
  export const showMemory = 'aiserver:show-memory';
  /** Begin a new entry of a memory, with the arguments `text` and those of its source. */
  export const addMemory = 'aiserver:add-memory';
  /** Show one step of a cell in the sidebar: `{cellId, step?, seq?, turnId?}`. */
  export const showStep = 'aiserver:show-step';
  /** Show in the sidebar what the person did in the notebook the last time. */
  export const showLastTime = 'aiserver:show-last-time';
  /** Show the search in the sidebar. */
  export const search = 'aiserver:search-replay';
  /** Restore the step that the sidebar shows. */
  export const restore = 'aiserver:restore-step';
  /** Restore the last version of the active cell that ran without an error. */
  export const restoreClean = 'aiserver:restore-clean';
  /** Ask the requests that led to the shown version again, of another model. */
  export const askAgain = 'aiserver:ask-again';
  /** Show or hide the contributor of each line of the active cell. */
  export const blame = 'aiserver:toggle-blame';
  /** Show the step that wrote the line in which the cursor is. */
  export const showStepOfLine = 'aiserver:show-line-step';
  /** Download the notebook's replay as one file; `format` is html, md or ipynb. */
  export const exportReplay = 'aiserver:export-replay';
  export const exportUsage = 'aiserver:export-usage';
  /** Show the next proposal of an agent that waits in the notebook. */
  export const nextProposal = 'aiserver:next-proposal';
  /** Accept the waiting proposals of a run (`run`), by default the newest that has any. */
  export const acceptRun = 'aiserver:accept-run';
  /** Open the form in which a provider is connected. */
  export const connect = 'aiserver:connect-provider';
  /** Open the dialog in which local models are installed and removed. */
  export const localModels = 'aiserver:open-local-models';
  /** Open the settings of the models. */
  export const modelSettings = 'aiserver:open-model-settings';
  /** Open a new copy of the first-steps notebook, a tutorial. */
  export const firstSteps = 'aiserver:open-first-steps';
}
