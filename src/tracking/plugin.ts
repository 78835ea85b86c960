/** Provides `ITracking`: notes what happens to the cells of the open notebooks. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { ApiClient } from '../api/client';
import { Acts } from './model/contributors/pageInput';
import { RunningCommands } from './model/contributors/commands';
import { editorInput } from './model/contributors/editorInput';
import { Tracking } from './model/tracking';
import { IHistory, INotebookIdentity, ITracking } from '../tokens';

const PLUGIN_ID = 'aiserver:track';

export const trackPlugin: JupyterFrontEndPlugin<ITracking> = {
  id: PLUGIN_ID,
  description: 'Notes what happens to the cells of the open notebooks.',
  autoStart: true,
  provides: ITracking,
  requires: [INotebookTracker, IHistory, INotebookIdentity],
  optional: [ISettingRegistry, IEditorExtensionRegistry],
  activate: async (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    history: IHistory,
    identity: INotebookIdentity,
    registry: ISettingRegistry | null,
    editors: IEditorExtensionRegistry | null
  ) => {
    editors?.addExtension({
      name: 'aiserver:input',
      factory: () =>
        EditorExtensionRegistry.createImmutableExtension(editorInput)
    });
    const commands = new RunningCommands(app.commands);
    const explanations = { commands, acts: new Acts() };
    const api = new ApiClient(app.serviceManager.serverSettings);
    const keep = (picture: Blob) => api.putBlob(picture);
    const tracking = new Tracking({
      identity,
      history,
      keep,
      explanations
    });
    // Before a notebook is followed: "off" means that nothing is told at all.
    await follow(tracking, registry);
    tracker.forEach(panel => tracking.add(panel));
    tracker.widgetAdded.connect((_, panel) => tracking.add(panel));
    window.addEventListener('pagehide', () => tracking.leave());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') {
        tracking.leave();
      }
    });
    return tracking;
  }
};

/** Have the settings say what is watched. */
async function follow(
  tracking: Tracking,
  registry: ISettingRegistry | null
): Promise<void> {
  try {
    const settings = await registry?.load(PLUGIN_ID);
    const read = () => {
      const { cells, outputs } = settings?.composite ?? {};
      tracking.scope = cells === 'ai' || cells === 'off' ? cells : 'all';
      tracking.keepsOutputs = outputs !== false;
    };
    read();
    settings?.changed.connect(read);
  } catch {
    console.warn('AI Server could not read its settings of what is tracked.');
  }
}
