/**
 * The types of the HTTP API: all of `schema.ts`, which the build generates from the server's models,
 * shorter names for some, and the events of streams.
 */
import type * as schema from './schema';
import type { InstallState, Interaction } from './schema';

export type * from './schema';

export type CellType = NonNullable<schema.GenerateBody['cellType']>;
export type CellChange = schema.CellChangeBody;
export type GitChoice = schema.GitBody['choice'];
export type SessionEvent = schema.Event;
export type ExportFormat = NonNullable<schema.ExportBody['format']>;
export type Verdict = schema.Check['verdict'];
export type ModelInfo = schema.Model;
export type PrivacyLevel = NonNullable<schema.DataFrameProfile['level']>;
/** Only the code and the message are always present. */
export type ErrorBody = Pick<schema.Error, 'code' | 'message'> &
  Partial<schema.Error>;

export interface ICellKey {
  notebookId: string;
  cellId: string;
}

/** If `notebookId` is null, all notebooks are searched. */
export type ISearchRequest = Required<schema.SearchBody>;

export type StreamEvent =
  | { type: 'start'; generationId: string; turnId: number; model: ModelInfo }
  /** The provider is busy; the server asks it again after `seconds`. */
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

export type InstallEvent =
  | ({ type: 'progress' } & InstallState)
  | { type: 'done' }
  | { type: 'cancelled' }
  | ({ type: 'error' } & ErrorBody);

export type AgentLevel = schema.PermissionBody['level'];
