/** The plugin that lets agents read and change open notebooks, under the person's eyes. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { ICommandPalette, Notification } from '@jupyterlab/apputils';
import { INotebookTracker, NotebookPanel } from '@jupyterlab/notebook';
import {
  ITranslator,
  nullTranslator,
  type TranslationBundle
} from '@jupyterlab/translation';
import { UUID } from '@lumino/coreutils';
import React from 'react';

import { AgentsClient } from '../../api/agentsClient';
import { failureText } from '../../labels/failureText';
import { toFailure } from '../../state/failure';
import { isForbidden } from '../../state/features';
import {
  CommandIDs,
  IAgents,
  IHistory,
  INotebookIdentity,
  IPromptRows,
  ITracking
} from '../../tokens';
import { lazyView } from '../../ui/lazy';
import { Channel } from './model/channel';
import type { ServerMessage } from './model/messages';
import { Proposals } from './model/proposals';
import { Questions } from './model/questions';
import { AgentRuns } from './model/runs';
import type { IRunsViewProps } from './view/runsView';

const RunsView = lazyView<IRunsViewProps>(
  async () => (await import('./view/runsView')).RunsView
);

export const agentsPlugin: JupyterFrontEndPlugin<IAgents | null> = {
  id: 'aiserver:agents',
  description: 'Agents that read and change open notebooks.',
  autoStart: true,
  provides: IAgents,
  requires: [INotebookTracker, IHistory, INotebookIdentity],
  optional: [ITracking, IPromptRows, ITranslator, ICommandPalette],
  activate: (
    app: JupyterFrontEnd,
    tracker: INotebookTracker,
    history: IHistory,
    identity: INotebookIdentity,
    tracking: ITracking | null,
    rows: IPromptRows | null,
    translator: ITranslator | null,
    palette: ICommandPalette | null
  ) => {
    if (isForbidden('agents')) {
      return null;
    }
    const trans = (translator ?? nullTranslator).load('aiserver');
    const { serverSettings: settings } = app.serviceManager;
    const page = UUID.uuid4();
    const find = (test: (panel: NotebookPanel) => boolean) =>
      tracker.find(panel => !panel.isDisposed && test(panel)) ?? null;
    const withId = (id: string) => find(panel => identity.get(panel) === id);
    const withPath = (path: string) =>
      find(({ context }) => context.localPath === path);
    const runs = new AgentRuns({
      api: new AgentsClient(settings),
      page,
      pathOf: id => withId(id)?.context.localPath ?? null
    });
    history.changed.connect((_, { notebookId }) => runs.refresh(notebookId));
    const proposals = rows && new Proposals(rows, tracker);

    // Without tracking, nothing would record what agents change, so they can't.
    if (tracking) {
      const channel = new Channel({
        settings,
        page,
        notebooks: () => openNotebooks(tracker, identity)
      });
      const questions = new Questions({ find: withPath, identity, tracking });
      channel.opened.connect(() => runs.refresh());
      channel.received.connect(async (_, message: ServerMessage) => {
        if (message.type === 'changed') {
          runs.refresh(message.notebookId);
        } else if (message.type === 'begun') {
          // The notebook may have no id yet, by which the page would find the run.
          const panel = withPath(message.path);
          await (panel && identity.ensure(panel).catch(() => undefined));
        } else if (message.type === 'proposed') {
          const { cellId, path } = message;
          const panel = withPath(path);
          const notebookId = panel && identity.get(panel);
          if (notebookId) {
            history.notify({ notebookId, cellId, isRemote: true });
          }
          if (panel) {
            proposals?.add(panel, cellId);
          }
        } else if (['apply', 'run', 'read'].includes(message.type)) {
          const answer = await questions.answer(message);
          channel.send({ ...answer, id: message.id });
        }
      });
      followNotebooks(tracker, identity, () => channel.update());
    }
    if (proposals) {
      addCommands(app, { tracker, identity, runs, proposals, trans });
      const category = trans.__('AI Server');
      palette?.addItem({ command: CommandIDs.nextProposal, category });
      palette?.addItem({ command: CommandIDs.acceptRun, category });
    }
    const { commands } = app;
    return {
      renderRuns: options =>
        React.createElement(RunsView, {
          props: { ...options, runs, commands, trans },
          trans
        })
    };
  }
};

function openNotebooks(tracker: INotebookTracker, identity: INotebookIdentity) {
  const notebooks: { path: string; notebookId: string | null }[] = [];
  tracker.forEach(panel => {
    if (!panel.isDisposed && panel.context.isReady) {
      const { localPath: path } = panel.context;
      notebooks.push({ path, notebookId: identity.get(panel) });
    }
  });
  return notebooks;
}

/** Call `update` whenever the list of open notebooks, a path or an id may have changed. */
function followNotebooks(
  tracker: INotebookTracker,
  identity: INotebookIdentity,
  update: () => void
): void {
  const add = ({ context, disposed }: NotebookPanel) => {
    void context.ready.then(update);
    context.pathChanged.connect(update);
    // The tracker forgets the notebook in its own handler of this signal.
    disposed.connect(() => void Promise.resolve().then(update));
  };
  tracker.forEach(add);
  tracker.widgetAdded.connect((_, panel) => add(panel));
  identity.changed.connect(update);
}

interface ICommandServices {
  readonly tracker: INotebookTracker;
  readonly identity: INotebookIdentity;
  readonly runs: AgentRuns;
  readonly proposals: Proposals;
  readonly trans: TranslationBundle;
}

function addCommands(
  { commands }: JupyterFrontEnd,
  services: ICommandServices
): void {
  const { tracker, identity, runs, proposals, trans } = services;
  const nothing = () => {
    const text = trans.__('No proposal of an agent waits in this notebook.');
    Notification.info(text, { autoClose: 5000 });
  };
  /** Do something with the current notebook and its runs that have waiting proposals. */
  const withRuns = async (
    act: (
      panel: NotebookPanel,
      waiting: Awaited<ReturnType<AgentRuns['waitingRuns']>>
    ) => Promise<void>
  ) => {
    const panel = tracker.currentWidget;
    const notebookId = panel && identity.get(panel);
    if (!panel || !notebookId) {
      nothing();
      return;
    }
    try {
      await act(panel, await runs.waitingRuns(notebookId));
    } catch (reason) {
      const text = failureText(toFailure(reason), trans);
      Notification.error(text, { autoClose: 8000 });
    }
  };
  const isEnabled = () => tracker.currentWidget !== null;
  commands.addCommand(CommandIDs.nextProposal, {
    label: trans.__('Show Next Proposal of an Agent'),
    caption: trans.__('Go to the next change of an agent that waits for you'),
    describedBy: { args: { type: 'object', properties: {} } },
    isEnabled,
    execute: () =>
      withRuns(async (panel, waiting) => {
        if (!(await proposals.showNext(panel, waiting))) {
          nothing();
        }
      })
  });
  commands.addCommand(CommandIDs.acceptRun, {
    label: trans.__('Accept All Proposals of a Run'),
    caption: trans.__('Accept all changes that an agent proposes in one run'),
    describedBy: {
      args: {
        type: 'object',
        properties: {
          run: {
            type: 'string',
            description: 'The id of the run; by default, the newest that waits'
          }
        }
      }
    },
    isEnabled,
    execute: ({ run: id }) =>
      withRuns(async (panel, waiting) => {
        const run = waiting.find(({ run }) => run === (id ?? run));
        if (!run) {
          nothing();
          return;
        }
        const { accepted, left } = await proposals.acceptAll(panel, run);
        if (left) {
          Notification.info(
            trans.__(
              '%1 accepted, %2 left: you have changed these cells, or are writing there.',
              accepted,
              left
            ),
            { autoClose: 8000 }
          );
        }
      })
  });
}
