/**
 * Short names for the types of the HTTP API, which are generated from `aiserver/rest-api.yml` into
 * `schema.ts` (`jlpm gen:api`).
 */
import type { components } from './schema';

type Schemas = components['schemas'];

export type GenerateBody = Schemas['GenerateBody'];
export type AnalyzeBody = Schemas['AnalyzeBody'];
export type PlaceBody = Schemas['PlaceBody'];
export type InstallBody = Partial<Schemas['InstallBody']>;
export type WarmUpBody = Schemas['WarmUpBody'];
export type CellType = NonNullable<GenerateBody['cellType']>;
export type PreviewBody = Schemas['PreviewBody'];
export type Preview = Schemas['Preview'];
export type ContextCell = Schemas['ContextCell'];
export type DataFrameProfile = Schemas['DataFrameProfile'];
export type ContributorBody = Schemas['ContributorBody'];
export type EventBody = Schemas['EventBody'];
export type CellChange = Schemas['CellChangeBody'];
export type PlacedCell = Schemas['PlacedCell'];
export type ChangesBody = Schemas['ChangesBody'];
export type Changes = Schemas['Changes'];
export type NotebookBody = Schemas['NotebookBody'];
export type NotebookIdentity = Schemas['NotebookIdentity'];
export type GitChoice = Schemas['GitBody']['choice'];
export type Interaction = Schemas['Interaction'];
export type SessionEvent = Schemas['Event'];
export type Session = Schemas['Session'];
export type SessionSummary = Schemas['SessionSummary'];
export type SessionList = Schemas['SessionList'];
export type Step = Schemas['Step'];
export type StepKind = Schemas['StepKind'];
export type Outcome = Schemas['Outcome'];
export type Replay = Schemas['Replay'];
export type SearchBody = Schemas['SearchBody'];
export type ExportBody = Schemas['ExportBody'];
export type BlameBody = Schemas['BlameBody'];
export type BlameLine = Schemas['BlameLine'];
export type Blame = Schemas['Blame'];
export type Moment = Schemas['Moment'];
export type TimelineCell = Schemas['TimelineCell'];
export type Timeline = Schemas['Timeline'];
export type CellSnapshot = Schemas['CellSnapshot'];
export type NotebookSnapshot = Schemas['NotebookSnapshot'];
export type Report = Schemas['Report'];
export type Export = Schemas['Export'];
export type ExportFormat = 'html' | 'md' | 'ipynb';
export type SearchHit = Schemas['SearchHit'];
export type SearchResults = Schemas['SearchResults'];
export type Verdict = Schemas['Check']['verdict'];
export type ModelInfo = Schemas['Model'];
export type Provider = Schemas['Provider'];
export type LocalModel = Schemas['LocalModel'];
export type InstallState = Schemas['InstallState'];
export type ModelList = Schemas['ModelList'];
export type Health = Schemas['Health'];
export type ErrorBody = Schemas['Error'];
export type UserText = Schemas['UserText'];

/** Identifies the session of one cell. */
export interface ICellKey {
  notebookId: string;
  cellId: string;
}

/** A search request; without a notebook id it searches all notebooks. */
export interface ISearchRequest {
  query: string;
  notebookId: string | null;
  by: 'words' | 'meaning';
  offset: number;
  limit: number;
}

/** An event of a generation's response stream. */
export type StreamEvent =
  | { type: 'start'; generationId: string; turnId: number; model: ModelInfo }
  /** The provider asked to wait; the server retries after this time. */
  | { type: 'waiting'; seconds: number }
  | { type: 'token'; part: 'code' | 'explanation'; text: string }
  | { type: 'done'; interaction: Interaction; revision: number }
  | { type: 'cancelled'; interaction: Interaction; revision: number }
  | {
      type: 'error';
      code: string;
      message: string;
      text?: UserText;
      /** The saved turn. */
      interaction?: Interaction;
      /** The turn that could not be saved, which is the reason of the error. */
      unsaved?: Interaction;
      revision?: number;
      install?: string;
      retryAfter?: number;
    };

/** An event of the stream that reports the progress of an installation. */
export type InstallEvent =
  | ({ type: 'progress' } & InstallState)
  | { type: 'done' }
  | { type: 'cancelled' }
  | {
      type: 'error';
      code: string;
      message: string;
      text?: UserText;
      install?: string;
    };
