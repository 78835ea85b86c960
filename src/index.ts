/**
 * AI Server's frontend: the list of its plugins, one per feature.
 */
import { JupyterFrontEndPlugin } from '@jupyterlab/application';

import { replay } from './plugins/replay';

const plugins: JupyterFrontEndPlugin<unknown>[] = [replay];

export default plugins;
