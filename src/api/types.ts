/**
 * The shapes of the HTTP API, by short names. They are generated from
 * `aiserver/rest-api.yml` into `schema.ts` (`jlpm gen:api`), never written here.
 */
import type { components } from './schema';

type Schemas = components['schemas'];

export type GenerateBody = Schemas['GenerateBody'];
export type AnalyzeBody = Schemas['AnalyzeBody'];
export type WarmUpBody = Schemas['WarmUpBody'];
export type CellType = NonNullable<GenerateBody['cellType']>;
export type ContextCell = Schemas['ContextCell'];
export type DataFrameProfile = Schemas['DataFrameProfile'];
export type EventBody = Schemas['EventBody'];
export type NotebookBody = Schemas['NotebookBody'];
export type NotebookIdentity = Schemas['NotebookIdentity'];
export type Interaction = Schemas['Interaction'];
export type SessionEvent = Schemas['Event'];
export type Session = Schemas['Session'];
export type SessionSummary = Schemas['SessionSummary'];
export type SessionList = Schemas['SessionList'];
export type Step = Schemas['Step'];
export type Replay = Schemas['Replay'];
export type ModelInfo = Schemas['Model'] & {
  /** The provider's name; `local` for the embedded model. */
  provider?: string;
};

/** Who can answer: what it needs, and what of that is at hand. Never a key itself. */
export interface Provider {
  name: string;
  label: string;
  /** Whether its Python package is there; else `install` is the line that brings it. */
  installed: boolean;
  install: string | null;
  keySource: 'environment' | 'keyring' | 'file' | 'config' | null;
  keyName: string | null;
  needsKey: boolean;
  needsAddress: boolean;
  address: string | null;
  suggested: string[];
}

/** How far the local model's installation is. */
export interface InstallState {
  phase: 'looking' | 'fetching' | 'checking' | 'done';
  bytes: number;
  total: number;
  source: string | null;
}

/** The model that can be installed on this machine. */
export interface LocalModel {
  id: string;
  label: string;
  installed: boolean;
  bytes: number;
  /** Whether the Python package that runs it is there. */
  package: boolean;
  install: string | null;
  installing: InstallState | null;
}

export interface ModelList {
  default: string | null;
  models: ModelInfo[];
  providers: Provider[];
  local: LocalModel;
}
export type Health = Schemas['Health'];
export type ErrorBody = Schemas['Error'];

/** An event of the stream that answers a generation. */
export type StreamEvent =
  | { type: 'start'; generationId: string; turnId: number; model: ModelInfo }
  | { type: 'token'; part: 'code' | 'explanation'; text: string }
  | { type: 'done'; interaction: Interaction; revision: number }
  | { type: 'cancelled'; interaction: Interaction; revision: number }
  | {
      type: 'error';
      code: string;
      message: string;
      /**
       * The turn as it is kept. If its answer is whole (`success`) the error is that it could
       * not be kept.
       */
      interaction?: Interaction;
      revision?: number;
      install?: string;
      retryAfter?: number;
    };

/** An event of the stream that tells how an installation goes on. */
export type InstallEvent =
  | ({ type: 'progress' } & InstallState)
  | { type: 'done' }
  | { type: 'cancelled' }
  | { type: 'error'; code: string; message: string; install?: string };
