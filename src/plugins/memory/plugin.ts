/** Adds the memory view and its commands. */
import {
  ILayoutRestorer,
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { Dialog, ICommandPalette, Notification } from '@jupyterlab/apputils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import React from 'react';

import { ApiClient } from '../../api/client';
import { localeFor } from '../../labels/formats';
import { isForbidden } from '../../state/features';
import { CommandIDs, IMemory, INotebookIdentity } from '../../tokens';
import { lazyView } from '../../ui/lazy';
import { focusAfterPalette } from '../../ui/palette';
import { MemoryModel } from './model/memoryModel';
import { MemoryContext, Source } from './view/context';
import { MemoryPanel } from './view/panel';

const AskedProposal = lazyView(
  async () => (await import('./view/askedProposal')).AskedProposal
);

export const memoryPlugin: JupyterFrontEndPlugin<IMemory | null> = {
  id: 'aiserver:memory',
  description: 'A sidebar with what models should remember.',
  autoStart: true,
  provides: IMemory,
  requires: [INotebookTracker, INotebookIdentity],
  optional: [ITranslator, ICommandPalette, ILayoutRestorer],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    identity: INotebookIdentity,
    translator: ITranslator | null,
    palette: ICommandPalette | null,
    restorer: ILayoutRestorer | null
  ) => {
    if (isForbidden('memory')) {
      return null;
    }
    const { commands, shell } = app;
    translator ??= nullTranslator;
    const trans = translator.load('aiserver');
    const locale = localeFor(translator);
    const { memory } = new ApiClient(app.serviceManager.serverSettings);
    const model = new MemoryModel(memory);

    /** Show a turn in the replay, if its notebook is open. */
    const showSource = async (source: Source) => {
      const panel = tracker.find(
        open => identity.get(open) === source.notebook_id
      );
      if (!panel) {
        const text = trans.__('Open the notebook of this request first.');
        Notification.info(text, { autoClose: 5000 });
        return;
      }
      shell.activateById(panel.id);
      await panel.revealed;
      const { cell_id: cellId, turn_id: turnId } = source;
      await commands.execute(CommandIDs.showStep, { cellId, turnId });
    };
    const context = {
      model,
      trans,
      locale,
      get showSource() {
        const hasReplay = commands.hasCommand(CommandIDs.showStep);
        return hasReplay ? (source: Source) => void showSource(source) : null;
      }
    };
    const panel = new MemoryPanel(context);
    panel.disposed.connect(() => model.dispose());
    // Below the data view.
    shell.add(panel, 'right', { rank: 852, type: 'AI Server' });
    restorer?.add(panel, panel.id);

    void app.restored.then(() => model.refresh());
    const refresh = () => model.refresh();
    window.addEventListener('focus', refresh);
    document.addEventListener('visibilitychange', refresh);

    const category = trans.__('AI Server');
    commands.addCommand(CommandIDs.showMemory, {
      label: trans.__('Show Memory'),
      caption: trans.__('Show what models should remember'),
      describedBy: { args: { type: 'object', properties: {} } },
      execute: () => focusAfterPalette(() => shell.activateById(panel.id))
    });
    commands.addCommand(CommandIDs.addMemory, {
      label: trans.__('Remember…'),
      caption: trans.__('Write down what models should know in every cell'),
      describedBy: {
        args: {
          type: 'object',
          properties: {
            text: { type: 'string' },
            notebookId: { type: 'string' },
            cellId: { type: 'string' },
            turnId: { type: 'integer' }
          }
        }
      },
      execute: ({ text, notebookId, cellId, turnId }) => {
        if (typeof text === 'string') {
          const isSource =
            typeof notebookId === 'string' && typeof cellId === 'string';
          model.begin(
            text,
            isSource
              ? { notebookId, cellId, turnId: Number(turnId ?? 0) }
              : null
          );
        }
        focusAfterPalette(() => {
          panel.requestField();
          shell.activateById(panel.id);
        });
      }
    });
    palette?.addItem({ command: CommandIDs.showMemory, category });
    palette?.addItem({ command: CommandIDs.addMemory, category });

    return {
      get usedEntries() {
        return model.usedEntries;
      },
      changed: model.stateChanged,
      show: name => {
        Dialog.flush(); // The receipt may be in a dialog.
        model.showEntry(name);
        shell.activateById(panel.id);
      },
      propose: (text, source) => model.propose(text, source),
      renderProposal: options =>
        React.createElement(
          MemoryContext,
          { value: context },
          React.createElement(AskedProposal, { props: options, trans })
        )
    };
  }
};
