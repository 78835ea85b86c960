/**
 * Describes who changed a cell. A contributor is the recorded author of a change. A writer is
 * whoever changed a cell in this page, maybe before the page knows which contributor to record.
 */
import type { ContributorBody } from '../api/types';

export type Contributor = ContributorBody;

export const PERSON: Contributor = { kind: 'person' };
export const UNKNOWN: Contributor = { kind: 'unknown' };

/** Recorded in English, and translated when they are shown. */
export const FILE_ON_DISK = 'file on disk';
export const JUPYTER_SERVER = 'Jupyter server';
export const INLINE_COMPLETION = 'inline completion';
export const AI_SERVER = 'AI Server';

/** The author of a write that AI Server makes: what tracking records about it. */
export interface IWriteAuthor {
  readonly contributor: Contributor;
  /** The agent's run to which the write belongs. */
  readonly run?: string;
  /** The data of each event. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Further data of some cells' events, by cell id. */
  readonly cellData?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
  /** The kind of the write, if it is a split or a merge. */
  readonly structure?: 'split' | 'merge';
}

export interface IWriter {
  /** Consecutive writes with the same key are recorded as one edit. */
  readonly key: string;
  /** Resolves when the contributor has been found; null if there is nothing to wait for. */
  readonly pending: Promise<void> | null;
  /** Null if this page must not record the write, because another page does. */
  readonly contributor: Contributor | null;
  /**
   * The author of a write with data of its own. All that it does is recorded, exactly as its cells
   * say: nothing is taken for a copy, nor for a split or merge unless the author says so.
   */
  readonly author?: IWriteAuthor;
  /** The command that made the write, if any. */
  readonly command?: string;
  /** If true, the write may come from another page, which must record it. */
  readonly mayBeOtherPage?: boolean;
  /**
   * Only for a deletion that another page should record. If none has after some time, this page
   * records it with this contributor. Null or absent if it never has to.
   */
  readonly fallback?: Contributor | null;
  /** Whether the command or input that caused the write was found. Absent means true. */
  readonly hasCause?: boolean;
}

/**
 * Create a writer whose contributor is known.
 *
 * @param key - By default, the contributor's kind and name.
 */
export function createWriter(contributor: Contributor, key?: string): IWriter {
  return {
    key: key ?? `${contributor.kind} ${contributor.name ?? ''}`,
    pending: null,
    contributor
  };
}

export const PERSON_WRITER: IWriter = createWriter(PERSON);

/** Matches a word that is common in names of AI extensions and clients. */
const AGENT_NAME =
  /(^|[^a-z])(ai|mcp|llm|chat|chatbot|copilot|agent|agents|assistant|claude|codex|jupyternaut|persona|notebook-intelligence|nbmodelclient)([^a-z]|$)/i;

export function isAgentName(name: string): boolean {
  return AGENT_NAME.test(name);
}
