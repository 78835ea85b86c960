/**
 * Describes who changed a cell: contributors and writers. A contributor is the recorded author of a
 * change. A writer is whoever changed a cell in this page. When the page notices the change, it may
 * not know yet which contributor to record for the writer.
 */
import type { ContributorBody } from '../api/types';

export type Contributor = ContributorBody;

export const PERSON: Contributor = { kind: 'person' };
export const UNKNOWN: Contributor = { kind: 'unknown' };

/** Names of contributors. They are recorded in English, and translated when they are shown. */
export const FILE_ON_DISK = 'file on disk';
export const JUPYTER_SERVER = 'Jupyter server';
export const INLINE_COMPLETION = 'inline completion';
export const AI_SERVER = 'AI Server';

/** The author of a write that AI Server makes: what tracking records about it. */
export interface IWriteAuthor {
  readonly contributor: Contributor;
  /** The id of the agent's run to which the write belongs. */
  readonly run?: string;
  /** The data of each event. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Further data of the events of some cells, by cell id. */
  readonly cellData?: ReadonlyMap<string, Readonly<Record<string, unknown>>>;
}

/** The writer of a change. */
export interface IWriter {
  /** Identifies the writer. Consecutive writes with the same key are recorded as one edit. */
  readonly key: string;
  /** Resolves when the contributor has been found; null if there is nothing to wait for. */
  readonly pending: Promise<void> | null;
  /** The contributor; null if this page must not record the write, because another page does. */
  readonly contributor: Contributor | null;
  /**
   * The author of a write with data of its own. All that it does is recorded, exactly as its cells
   * say: nothing is taken for a split or a copy.
   */
  readonly author?: IWriteAuthor;
  /** The id of the command that made the write; absent if no command did. */
  readonly command?: string;
  /** Whether the write may come from another page. If true, that page must record the write. */
  readonly mayBeOtherPage?: boolean;
  /**
   * Only for a deletion that another page should record. If no page has recorded the deletion after
   * some time, this page records it with this contributor. Null or absent if this page never has
   * to do so.
   */
  readonly fallback?: Contributor | null;
  /** Whether the command or input that caused the write was found. Absent means true. */
  readonly hasCause?: boolean;
}

/**
 * Create a writer whose contributor is known.
 *
 * @param key - By default, the key consists of the contributor's kind and name.
 */
export function createWriter(contributor: Contributor, key?: string): IWriter {
  return {
    key: key ?? `${contributor.kind} ${contributor.name ?? ''}`,
    pending: null,
    contributor
  };
}

/** The person who uses this page. */
export const PERSON_WRITER: IWriter = createWriter(PERSON);

/** Matches a name that contains a word which is common in names of AI extensions and clients. */
const AGENT_NAME =
  /(^|[^a-z])(ai|mcp|llm|chat|chatbot|copilot|agent|agents|assistant|claude|codex|jupyternaut|persona|notebook-intelligence|nbmodelclient)([^a-z]|$)/i;

/** Return whether a name looks like the name of an AI extension or client. */
export function isAgentName(name: string): boolean {
  return AGENT_NAME.test(name);
}
