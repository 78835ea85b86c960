/** The part of the plugin that is loaded with the first notebook. */
import { Notification } from '@jupyterlab/apputils';
import {
  type INotebookTracker,
  NotebookActions,
  type NotebookPanel
} from '@jupyterlab/notebook';
import type { ServerConnection } from '@jupyterlab/services';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import type { TranslationBundle } from '@jupyterlab/translation';
import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { CommandRegistry } from '@lumino/commands';
import { UUID } from '@lumino/coreutils';
import React from 'react';

import type { PrivacyLevel } from '../../../api/types';
import { findCell } from '../../../cells/notebookCell';
import { failureText } from '../../../labels/failureText';
import { toFailure } from '../../../state/failure';
import type {
  IAgentsOptions,
  IHistory,
  INotebookIdentity,
  IPromptRows,
  ITracking
} from '../../../tokens';
import { Channel } from '../model/channel';
import type { Notice, Question, ServerMessage } from '../model/messages';
import { Proposals } from '../model/proposals';
import { Questions } from '../model/questions';
import { type AgentRuns, createRuns } from '../model/runs';
import { askPerson } from './permit';
import { RunsView } from './runsView';

export const AGENTS_PLUGIN_ID = 'aiserver:agents';

export interface IAgentsServices {
  readonly settings: ServerConnection.ISettings;
  readonly shell: JupyterFrontEnd.IShell;
  readonly registry: ISettingRegistry | null;
  readonly commands: CommandRegistry;
  readonly tracker: INotebookTracker;
  readonly history: IHistory;
  readonly identity: INotebookIdentity;
  readonly tracking: ITracking | null;
  readonly rows: IPromptRows | null;
  readonly trans: TranslationBundle;
}

export class Agents {
  constructor(private readonly _services: IAgentsServices) {
    const { settings, history, rows, tracker, tracking } = _services;
    this._runs = createRuns(settings, {
      page: this._page,
      pathOf: id => this._withId(id)?.context.localPath ?? null,
      runCells: (id, cellIds) => this._runCells(id, cellIds)
    });
    history.changed.connect((_, { notebookId }) =>
      this._runs.refresh(notebookId)
    );
    this._proposals = rows && new Proposals(rows, tracker);
    // Without tracking, nothing would record what agents change, so they can't.
    if (tracking) {
      this._connect(tracking);
    }
  }

  /** The section with the runs of a notebook. */
  readonly View = (options: IAgentsOptions): React.JSX.Element => {
    const { commands, trans } = this._services;
    const props = { ...options, runs: this._runs, commands, trans };
    return React.createElement(RunsView, props);
  };

  /** Show the next proposal that waits in the current notebook. */
  showNext(): Promise<void> {
    return this._withRuns(async (panel, waiting) => {
      if (!(await this._proposals?.showNext(panel, waiting))) {
        this._sayNothingWaits();
      }
    });
  }

  /** Accept the waiting proposals of a run, by default of the newest that has any. */
  acceptAll(id?: unknown): Promise<void> {
    return this._withRuns(async (panel, waiting) => {
      const run = waiting.find(({ run }) => run === (id ?? run));
      if (!run || !this._proposals) {
        this._sayNothingWaits();
        return;
      }
      const { accepted, left } = await this._proposals.acceptAll(panel, run);
      if (left) {
        const text = this._services.trans.__(
          '%1 accepted, %2 left: you have changed these cells, or are writing there.',
          accepted,
          left
        );
        Notification.info(text, { autoClose: 8000 });
      }
    });
  }

  private _connect(tracking: ITracking): void {
    const { identity, registry, settings, tracker } = this._services;
    let chosen: ISettingRegistry.ISettings | null = null;
    const channel = new Channel({
      settings,
      page: this._page,
      paths: () => openPaths(tracker),
      level: () => levelIn(chosen)
    });
    const update = () => channel.update();
    registry?.load(AGENTS_PLUGIN_ID).then(loaded => {
      chosen = loaded;
      loaded.changed.connect(update);
      update();
    }, console.warn);
    const find = (path: string) => this._withPath(path);
    const questions = new Questions({
      ...{ find, identity, tracking },
      askPerson: (question, panel) =>
        askPerson(
          question,
          panel,
          id => this._showCell(panel, id),
          this._services.trans
        )
    });
    channel.opened.connect(() => this._runs.refresh());
    channel.received.connect(async (_, message: ServerMessage) => {
      if (isQuestion(message)) {
        const answer = await questions.answer(message);
        channel.send({ ...answer, id: message.id });
      } else {
        await this._take(message);
      }
    });
    followNotebooks(tracker, update);
  }

  private async _take(message: Notice): Promise<void> {
    const { history, identity } = this._services;
    if (message.type === 'changed') {
      this._runs.refresh(message.notebookId);
      return;
    }
    // The notebook may have no id yet, by which the page finds runs and proposals.
    const panel = this._withPath(message.path);
    const notebookId = await (panel &&
      identity.ensure(panel).catch(() => null));
    if (panel && notebookId && message.type === 'proposed') {
      const { cellId } = message;
      history.notify({ notebookId, cellId, isRemote: true });
      this._proposals?.add(panel, cellId);
    }
  }

  private _runCells(notebookId: string, cellIds: readonly string[]): void {
    const panel = this._withId(notebookId);
    const cells = cellIds.flatMap(id => (panel && findCell(panel, id)) ?? []);
    if (panel) {
      void NotebookActions.runCells(panel.content, cells, panel.sessionContext);
    }
  }

  private _showCell({ id, content }: NotebookPanel, cellId: string): void {
    this._services.shell.activateById(id);
    content.activeCellIndex = content.widgets.findIndex(
      ({ model }) => model.id === cellId
    );
  }

  private _sayNothingWaits(): void {
    const text = this._services.trans.__(
      'No proposal of an agent waits in this notebook.'
    );
    Notification.info(text, { autoClose: 5000 });
  }

  /** Do something with the current notebook and its runs that have waiting proposals. */
  private async _withRuns(
    act: (
      panel: NotebookPanel,
      waiting: Awaited<ReturnType<AgentRuns['waitingRuns']>>
    ) => Promise<void>
  ): Promise<void> {
    const { identity, tracker, trans } = this._services;
    const panel = tracker.currentWidget;
    const notebookId = panel && identity.get(panel);
    if (!panel || !notebookId) {
      this._sayNothingWaits();
      return;
    }
    try {
      await act(panel, await this._runs.waitingRuns(notebookId));
    } catch (reason) {
      const text = failureText(toFailure(reason), trans);
      Notification.error(text, { autoClose: 8000 });
    }
  }

  private _withId(id: string): NotebookPanel | null {
    const { identity, tracker } = this._services;
    const isIt = (panel: NotebookPanel) =>
      !panel.isDisposed && identity.get(panel) === id;
    return tracker.find(isIt) ?? null;
  }

  private _withPath(path: string): NotebookPanel | null {
    const isIt = (panel: NotebookPanel) =>
      !panel.isDisposed && panel.context.localPath === path;
    return this._services.tracker.find(isIt) ?? null;
  }

  private readonly _page = UUID.uuid4();
  private readonly _runs: AgentRuns;
  private readonly _proposals: Proposals | null;
}

function isQuestion(message: ServerMessage): message is Question {
  return 'id' in message;
}

/** Return the level that the settings name; without settings, no values of data. */
function levelIn(settings: ISettingRegistry.ISettings | null): PrivacyLevel {
  const level = settings?.composite.data;
  return level === 'statistics' || level === 'sample' ? level : 'schema';
}

function openPaths(tracker: INotebookTracker): string[] {
  const panels: NotebookPanel[] = [];
  tracker.forEach(panel => panels.push(panel));
  return panels
    .filter(panel => !panel.isDisposed && panel.context.isReady)
    .map(({ context }) => context.localPath);
}

/** Call `update` whenever the list of open notebooks, or a path, may have changed. */
function followNotebooks(tracker: INotebookTracker, update: () => void): void {
  const add = ({ context, disposed }: NotebookPanel) => {
    void context.ready.then(update);
    context.pathChanged.connect(update);
    // The tracker forgets the notebook in its own handler of this signal.
    disposed.connect(() => void Promise.resolve().then(update));
  };
  tracker.forEach(add);
  tracker.widgetAdded.connect((_, panel) => add(panel));
}
