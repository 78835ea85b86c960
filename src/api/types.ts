/**
 * The shapes of the HTTP API, by short names. They are generated from
 * `aiserver/rest-api.yml` into `schema.ts` (`jlpm gen:api`), never written here.
 */
import type { components } from './schema';

type Schemas = components['schemas'];

export type GenerateBody = Schemas['GenerateBody'];
export type AnalyzeBody = Schemas['AnalyzeBody'];
export type InstallBody = Partial<Schemas['InstallBody']>;
export type WarmUpBody = Schemas['WarmUpBody'];
export type CellType = NonNullable<GenerateBody['cellType']>;
export type PreviewBody = Schemas['PreviewBody'];
export type Preview = Schemas['Preview'];
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
/** Kinds, `parent` and `lane` by hand until rest-api.yml has them. */
export type StepKind =
  | Schemas['Step']['kind']
  | 'split'
  | 'merge'
  | 'copy'
  | 'delete'
  | 'undelete'
  | 'type'
  | 'move';
export type Step = Omit<Schemas['Step'], 'kind'> & {
  kind: StepKind;
  /** The step that this one went on from; the one before, unless it branches. */
  parent?: number | null;
  /** 0: the line of what the cell held; branches that were left have 1, 2, … */
  lane?: number;
};
export type Replay = Omit<Schemas['Replay'], 'steps'> & { steps: Step[] };
/** Who wrote a line. By hand until rest-api.yml has it. */
export interface BlameLine {
  author: 'model' | 'person';
  /** Null where no step knows the line: it is the person's, and not noted yet. */
  step: number | null;
  seq: number | null;
  turnId?: number;
  model?: string;
  intent?: string;
  timestamp?: string;
}
export interface Blame {
  lines: BlameLine[];
  revision: number;
}
export interface BlameBody {
  source?: string;
  step?: number;
}
export type Verdict = Schemas['Check']['verdict'];
export type ModelInfo = Schemas['Model'];
export type Provider = Schemas['Provider'];
export type LocalModel = Schemas['LocalModel'];
export type InstallState = Schemas['InstallState'];
export type ModelList = Schemas['ModelList'];
export type Health = Schemas['Health'];
export type ErrorBody = Schemas['Error'];

/** An event of the stream that answers a generation. */
export type StreamEvent =
  | { type: 'start'; generationId: string; turnId: number; model: ModelInfo }
  /** The provider asked to wait so long before it is asked again. */
  | { type: 'waiting'; seconds: number }
  | { type: 'token'; part: 'code' | 'explanation'; text: string }
  | { type: 'done'; interaction: Interaction; revision: number }
  | { type: 'cancelled'; interaction: Interaction; revision: number }
  | {
      type: 'error';
      code: string;
      message: string;
      /** The turn as it is kept. */
      interaction?: Interaction;
      /** The turn that could not be kept, which is what the error says. */
      unsaved?: Interaction;
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
