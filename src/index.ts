/**
 * AI Server's frontend: the list of its plugins, one per feature.
 */
import { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { askPlugin } from './plugins/ask';
import { blamePlugin } from './plugins/blame';
import { firstStepsPlugin } from './plugins/firststeps';
import { gitAdvicePlugin } from './plugins/gitadvice';
import { historyPlugin } from './plugins/history';
import { identityPlugin } from './plugins/identity';
import { modelsPlugin } from './plugins/models';
import { placeholderPlugin } from './plugins/placeholder';
import { replayPlugin } from './plugins/replay';
import { trackPlugin } from './plugins/track';
import { sharingPlugin } from './plugins/sharing';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- each provides its own kind
const plugins: JupyterFrontEndPlugin<any>[] = [
  historyPlugin,
  identityPlugin,
  trackPlugin,
  modelsPlugin,
  placeholderPlugin,
  askPlugin,
  firstStepsPlugin,
  replayPlugin,
  sharingPlugin,
  blamePlugin,
  gitAdvicePlugin
];

export default plugins;
