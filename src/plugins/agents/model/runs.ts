/**
 * The runs of agents in the notebook that the replay shows, and what the person may do about them:
 * undo, redo, and choose what an agent may do.
 *
 * Invariant: nothing is fetched while no view shows the runs.
 */
import type { ServerConnection } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';

import { AgentsClient } from '../../../api/agentsClient';
import type {
  AgentLevel,
  RunSummary,
  NotebookRuns,
  UndoneRun
} from '../../../api/types';
import { type IFailure, toFailure } from '../../../state/failure';
import { Throttle } from '../../../state/throttle';

export type AgentsApi = Pick<AgentsClient, 'list' | 'choose' | 'undo' | 'redo'>;

/** The levels of permission, lowest first. */
export const LEVELS: readonly AgentLevel[] = [
  'off',
  'read',
  'propose',
  'edit',
  'all'
];

export interface IRunsOptions {
  readonly api: AgentsApi;
  /** The id of this page, for what is allowed until it closes. */
  readonly page: string;
  /** Return the path of an open notebook; null if it isn't open. */
  readonly pathOf: (notebookId: string) => string | null;
  /** Run cells of an open notebook. */
  readonly runCells: (notebookId: string, cellIds: readonly string[]) => void;
}

/** Create the runs of agents on this server. */
export function createRuns(
  settings: ServerConnection.ISettings,
  options: Omit<IRunsOptions, 'api'>
): AgentRuns {
  return new AgentRuns({ ...options, api: new AgentsClient(settings) });
}

export class AgentRuns {
  constructor(private readonly _options: IRunsOptions) {}

  readonly stateChanged = new Signal<this, void>(this);

  get runs(): readonly RunSummary[] {
    return this._agents?.runs ?? [];
  }

  /** The failure of the person's last action; null if it succeeded. */
  get failure(): IFailure | null {
    return this._failure;
  }

  /** The number of proposals that wait for the person. */
  get waitingCount(): number {
    return this.runs.reduce((sum, run) => sum + run.proposals.open, 0);
  }

  /** The levels that the person can choose from: those up to the administrator's cap. */
  get levels(): readonly AgentLevel[] {
    const cap = LEVELS.indexOf(this._agents?.cap ?? 'all');
    return LEVELS.slice(0, cap + 1);
  }

  levelOf(agent: string): AgentLevel {
    const { levels } = this;
    const level = this._agents?.permissions[agent] ?? 'propose';
    return levels.includes(level) ? level : levels[levels.length - 1];
  }

  /** Show the runs of a notebook from now on; null shows none. */
  show(notebookId: string | null): void {
    if (notebookId === this._notebookId) {
      return;
    }
    this._throttle.cancel();
    this._notebookId = notebookId;
    this._agents = this._failure = null;
    if (notebookId) {
      void this._throttle.runNow();
    }
    this.stateChanged.emit();
  }

  /** Fetch the runs again if those of this notebook, or of any (null), are shown. */
  refresh(notebookId: string | null = null): void {
    if (
      this._notebookId &&
      (notebookId ?? this._notebookId) === this._notebookId
    ) {
      this._throttle.trigger();
    }
  }

  /** Fetch the runs of a notebook that have proposals, whether they are shown or not. */
  async waitingRuns(notebookId: string): Promise<RunSummary[]> {
    const { runs } = await this._options.api.list(notebookId);
    return runs.filter(({ proposals }) => proposals.open);
  }

  async choose(agent: string, level: AgentLevel): Promise<void> {
    await this._act((api, notebookId) =>
      api.choose(notebookId, agent, level, this._options.page)
    );
  }

  /** Return what the undo of a run would do; null if that failed. */
  preview(run: string): Promise<UndoneRun | null> {
    return this._act((api, id, path) => api.undo(id, run, path, true));
  }

  /** Undo a run; return what has changed, or null if that failed. */
  undo(run: string): Promise<UndoneRun | null> {
    return this._act((api, id, path) => api.undo(id, run, path, false));
  }

  /** Run cells of the shown notebook. */
  runCells(cellIds: readonly string[]): void {
    if (this._notebookId) {
      this._options.runCells(this._notebookId, cellIds);
    }
  }

  async redo(run: string): Promise<void> {
    await this._act((api, id, path) => api.redo(id, run, path));
  }

  dispose(): void {
    this.show(null);
    Signal.clearData(this);
  }

  /** Do something about the shown notebook, and fetch its runs again. Returns null if it failed. */
  private async _act<T>(
    action: (api: AgentsApi, notebookId: string, path: string) => Promise<T>
  ): Promise<T | null> {
    const { _notebookId: notebookId } = this;
    const path = notebookId && this._options.pathOf(notebookId);
    if (!notebookId || path === null) {
      return null;
    }
    let result: T | null = null;
    let failure: IFailure | null = null;
    try {
      result = await action(this._options.api, notebookId, path);
    } catch (reason) {
      failure = toFailure(reason);
    }
    if (notebookId === this._notebookId) {
      this._failure = failure;
      await this._throttle.runNow();
    }
    return result;
  }

  private async _load(): Promise<void> {
    const { _notebookId: notebookId } = this;
    const agents =
      notebookId &&
      (await this._options.api.list(notebookId).catch(() => null));
    if (agents && notebookId === this._notebookId) {
      this._agents = agents;
    }
    this.stateChanged.emit();
  }

  private readonly _throttle = new Throttle(() => this._load());
  private _notebookId: string | null = null;
  private _agents: NotebookRuns | null = null;
  private _failure: IFailure | null = null;
}
