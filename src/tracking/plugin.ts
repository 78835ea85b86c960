/** Provides `ITracking`, which records changes to the cells of open notebooks. */
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
import { PageInput } from './model/contributors/pageInput';
import { RunningCommands } from './model/contributors/commands';
import { editorInput } from './model/contributors/editorInput';
import { Tracking } from './model/tracking';
import { IHistory, INotebookIdentity, ITracking } from '../tokens';

const PLUGIN_ID = 'aiserver:track';

export const trackPlugin: JupyterFrontEndPlugin<ITracking> = {
  id: PLUGIN_ID,
  description: 'Records changes to the cells of open notebooks.',
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
    const causeDetectors = { commands, input: new PageInput() };
    const api = new ApiClient(app.serviceManager.serverSettings);
    const storeImage = (image: Blob) => api.putBlob(image);
    const tracking = new Tracking({
      identity,
      history,
      storeImage,
      causeDetectors
    });
    // Apply the settings before any notebook is added: if tracking is off, nothing may be sent.
    await applySettings(tracking, registry);
    tracker.forEach(panel => tracking.add(panel));
    tracker.widgetAdded.connect((_, panel) => tracking.add(panel));
    // When the page is hidden, the person may be about to close it.
    window.addEventListener('pagehide', () => tracking.captureAll());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') {
        tracking.captureAll();
      }
    });
    return tracking;
  }
};

async function applySettings(
  tracking: Tracking,
  registry: ISettingRegistry | null
): Promise<void> {
  try {
    const settings = await registry?.load(PLUGIN_ID);
    const apply = () => {
      const { cells, outputs } = settings?.composite ?? {};
      tracking.scope = cells === 'ai' || cells === 'off' ? cells : 'all';
      tracking.recordsOutputs = outputs !== false;
    };
    apply();
    settings?.changed.connect(apply);
  } catch {
    console.warn('AI Server could not read its tracking settings.');
  }
}
