/** The plugin that lets agents read and change open notebooks, under the person's eyes. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ISettingRegistry } from '@jupyterlab/settingregistry';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import React from 'react';

import { isForbidden } from '../../state/features';
import {
  CommandIDs,
  IAgents,
  type IAgentsOptions,
  IHistory,
  INotebookIdentity,
  IPromptRows,
  ITracking
} from '../../tokens';
import { lazyView } from '../../ui/lazy';
import type { Agents } from './view/agents';

export const agentsPlugin: JupyterFrontEndPlugin<IAgents | null> = {
  id: 'aiserver:agents',
  description: 'Agents that read and change open notebooks.',
  autoStart: true,
  provides: IAgents,
  requires: [INotebookTracker, IHistory, INotebookIdentity],
  optional: [
    ITracking,
    IPromptRows,
    ITranslator,
    ICommandPalette,
    ISettingRegistry
  ],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    history: IHistory,
    identity: INotebookIdentity,
    tracking: ITracking | null,
    rows: IPromptRows | null,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    registry: ISettingRegistry | null
  ) => {
    if (isForbidden('agents')) {
      return null;
    }
    const trans = (translator ?? nullTranslator).load('aiserver');
    const { commands, serviceManager, shell } = app;
    const settings = serviceManager.serverSettings;
    const services = {
      ...{ commands, history, identity, registry, rows, settings, shell },
      tracker
    };
    let loading: Promise<Agents> | null = null;
    /** Load the rest. If that fails, the next call tries again. */
    const load = (): Promise<Agents> => {
      loading ??= import('./view/agents').then(
        module => new module.Agents({ ...services, tracking, trans })
      );
      loading.catch(() => (loading = null));
      return loading;
    };
    const loadForNotebook = () => void load().catch(() => undefined);
    if (tracker.size) {
      loadForNotebook();
    }
    tracker.widgetAdded.connect(loadForNotebook);

    if (rows) {
      const isEnabled = () => tracker.currentWidget !== null;
      commands.addCommand(CommandIDs.nextProposal, {
        label: trans.__('Show Next Proposal of an Agent'),
        caption: trans.__(
          'Go to the next change of an agent that waits for you'
        ),
        describedBy: { args: { type: 'object', properties: {} } },
        isEnabled,
        execute: async () => (await load()).showNext()
      });
      commands.addCommand(CommandIDs.acceptRun, {
        label: trans.__('Accept All Proposals of a Run'),
        caption: trans.__(
          'Accept all changes that an agent proposes in one run'
        ),
        describedBy: {
          args: {
            type: 'object',
            properties: {
              run: {
                type: 'string',
                description:
                  'The id of the run; by default, the newest that waits'
              }
            }
          }
        },
        isEnabled,
        execute: async ({ run }) => (await load()).acceptAll(run)
      });
      const category = trans.__('AI Server');
      palette?.addItem({ command: CommandIDs.nextProposal, category });
      palette?.addItem({ command: CommandIDs.acceptRun, category });
    }
    const RunsView = lazyView<IAgentsOptions>(async () => (await load()).View);
    return {
      renderRuns: props => React.createElement(RunsView, { props, trans })
    };
  }
};
