/** The entry point of AI Server's frontend: one JupyterLab plugin per feature. */
import { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { agentsPlugin } from './plugins/agents/plugin';
import { askPlugin } from './ask/plugin';
import { blamePlugin } from './plugins/blame/plugin';
import { completionPlugin } from './plugins/completion/plugin';
import { dataPlugin } from './plugins/data/plugin';
import { firstStepsPlugin } from './plugins/firstSteps/plugin';
import { gitAdvicePlugin } from './plugins/gitAdvice/plugin';
import { historyPlugin } from './history/plugin';
import { identityPlugin } from './identity/plugin';
import { lineBreaksPlugin } from './lineBreaks/plugin';
import { lossesPlugin } from './plugins/losses/plugin';
import { magicPlugin } from './plugins/magic/plugin';
import { memoryPlugin } from './plugins/memory/plugin';
import { modelsPlugin } from './providers/plugin';
import { placeholderPlugin } from './placeholder/plugin';
import { replayPlugin } from './replay/plugin';
import { trackPlugin } from './tracking/plugin';
import { sharingPlugin } from './plugins/export/plugin';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each plugin provides another type
const plugins: JupyterFrontEndPlugin<any>[] = [
  historyPlugin,
  identityPlugin,
  trackPlugin,
  modelsPlugin,
  lineBreaksPlugin,
  placeholderPlugin,
  askPlugin,
  completionPlugin,
  magicPlugin,
  firstStepsPlugin,
  replayPlugin,
  dataPlugin,
  memoryPlugin,
  sharingPlugin,
  blamePlugin,
  gitAdvicePlugin,
  agentsPlugin,
  lossesPlugin
];

export default plugins;
