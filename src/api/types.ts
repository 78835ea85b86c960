/**
 * The types of the HTTP API. This file exports all types of `schema.ts`, which the build
 * generates from the server's models. It adds shorter names for some of these types, and the
 * types of the events in streams.
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

export type AgentLevel = schema.PermissionBody['level'];
