/**
 * The types of the HTTP API. This file exports all types of `schema.ts`, which the build
 * generates from the server's models. It adds shorter names for some of these types, and the
 * types of the events in streams.
 */
import type * as schema from './schema';
import type { InstallState, Interaction } from './schema';

export type * from './schema';

export type CellType = NonNullable<schema.GenerateBody['cellType']>;
/** A contributor to record. Only agents and programs have a version. */
export type ContributorBody = schema.ContributorBody & {
  version?: string | null;
};
/** An event to record. `run` is the id of the agent's run to which it belongs. */
export type EventBody = schema.EventBody & { run?: string | null };
/** A step of a replay. `run` is the id of the agent's run to which it belongs. */
export type Step = schema.Step & { run?: string };
export type CellChange = schema.CellChangeBody;
export type GitChoice = schema.GitBody['choice'];
export type SessionEvent = schema.Event;
export type ExportFormat = NonNullable<schema.ExportBody['format']>;
export type Verdict = schema.Check['verdict'];
export type ModelInfo = schema.Model;
export type PrivacyLevel = NonNullable<schema.DataFrameProfile['level']>;
/** An error as the server sends it. Only the code and the message are always present. */
export type ErrorBody = Pick<schema.Error, 'code' | 'message'> &
  Partial<schema.Error>;

/** Identifies the session of one cell. */
export interface ICellKey {
  notebookId: string;
  cellId: string;
}

/** A search request. If `notebookId` is null, all notebooks are searched. */
export type ISearchRequest = Required<schema.SearchBody>;

/** An event of a generation's response stream. */
export type StreamEvent =
  | { type: 'start'; generationId: string; turnId: number; model: ModelInfo }
  /** The provider is busy or unavailable. After `seconds`, the server asks the provider again. */
  | { type: 'waiting'; seconds: number }
  | {
      type: 'token';
      part: 'code' | 'explanation';
      text: string;
      /** Whether the text replaces what has arrived of the part. */
      replaces?: boolean;
    }
  | { type: 'done'; interaction: Interaction; revision: number }
  | { type: 'cancelled'; interaction: Interaction; revision: number }
  | (ErrorBody & {
      type: 'error';
      /** The turn, if the server could save it. */
      interaction?: Interaction;
      revision?: number;
    });

/** An event of the stream that reports the progress of an installation. */
export type InstallEvent =
  | ({ type: 'progress' } & InstallState)
  | { type: 'done' }
  | { type: 'cancelled' }
  | ({ type: 'error' } & ErrorBody);

/** The permission of an agent in a notebook; each level includes those before it. */
export type AgentLevel = 'off' | 'read' | 'propose' | 'edit' | 'all';

/** One piece of an agent's work in a notebook. */
export interface AgentRun {
  run: string;
  agent: { name: string; version?: string | null };
  intent: string;
  plan: string[];
  /** The agent's own words at the end. */
  summary?: string | null;
  state: 'active' | 'ended' | 'interrupted' | 'undone';
  begun: string;
  ended: string | null;
  /** The ids of the cells that it has changed or wants to change. */
  cells: string[];
  edits: number;
  proposals: { open: number; accepted: number; rejected: number };
  /** The number of cells that it has read. */
  read: number;
  refused: { tool: string; reason: string; cell?: string | null }[];
  canRedo: boolean;
}

/** The runs of agents in a notebook, newest first, and their permissions by the agents' names. */
export interface NotebookAgents {
  runs: AgentRun[];
  permissions: Record<string, AgentLevel>;
  /** The highest level that the administrator allows. */
  cap: AgentLevel;
}

/** The effect of the undo of a run on a cell. A source is null if the cell isn't in the notebook. */
export interface UndoneCell {
  cellId: string;
  action: 'restore' | 'merge' | 'remove' | 'return' | 'keep';
  now: string | null;
  after: string | null;
  /**
   * Lines of `after` that somebody has changed since the run, and that therefore stay. `before` are
   * the lines before the run, and `mine` those that the run wrote.
   */
  conflicts: { lines: number[]; before?: string; mine?: string }[];
}

export interface RunUndo {
  cells: UndoneCell[];
  order: string[];
}
