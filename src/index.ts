/**
 * AI Server's frontend: the list of its plugins, one per feature.
 */
import { JupyterFrontEndPlugin } from '@jupyterlab/application';

const plugins: JupyterFrontEndPlugin<unknown>[] = [];

export default plugins;
