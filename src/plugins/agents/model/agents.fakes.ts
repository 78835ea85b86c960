/** A server with the runs of agents in one notebook, for the specs. */
import type { RunSummary, NotebookRuns, UndoneRun } from '../../../api/types';
import type { AgentsApi } from './runs';

export function runOf(fields: Partial<RunSummary> = {}): RunSummary {
  return {
    run: 'run1',
    agent: { name: 'Claude Code', version: '2.1' },
    intent: 'tidy the dates',
    plan: [],
    state: 'ended',
    begun: '2026-11-30T08:00:00.000Z',
    ended: '2026-11-30T08:01:00.000Z',
    cells: ['aa', 'bb'],
    edits: 2,
    proposals: { open: 0, accepted: 0, rejected: 0 },
    read: 3,
    refused: [],
    code: [],
    canRedo: false,
    ...fields
  };
}

export class FakeAgents implements AgentsApi {
  agents: NotebookRuns = { runs: [runOf()], permissions: {}, cap: 'all' };
  result: UndoneRun = { cells: [], order: [] };
  readonly calls: unknown[][] = [];
  /** Thrown by the next call that changes something. */
  failure: Error | null = null;

  async list(notebookId: string): Promise<NotebookRuns> {
    this.calls.push(['list', notebookId]);
    return JSON.parse(JSON.stringify(this.agents)) as NotebookRuns;
  }

  async choose(
    ...[notebookId, agent, level, page]: Parameters<AgentsApi['choose']>
  ): Promise<void> {
    this._call('choose', notebookId, agent, level, page);
    this.agents.permissions[agent] = level;
  }

  async undo(...args: Parameters<AgentsApi['undo']>): Promise<UndoneRun> {
    this._call('undo', ...args);
    if (!args[3]) {
      this._change({ state: 'undone', canRedo: true });
    }
    return this.result;
  }

  async redo(...args: Parameters<AgentsApi['redo']>): Promise<void> {
    this._call('redo', ...args);
    this._change({ state: 'ended', canRedo: false });
  }

  private _change(fields: Partial<RunSummary>): void {
    Object.assign(this.agents.runs[0], fields);
  }

  private _call(...call: unknown[]): void {
    const { failure } = this;
    this.failure = null;
    if (failure) {
      throw failure;
    }
    this.calls.push(call);
  }
}
