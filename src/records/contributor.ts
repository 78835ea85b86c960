/**
 * Contributors of changes, and writers. A writer is whoever made a write in this page; its
 * contributor may become known only after the write.
 */
import type { ContributorBody } from '../api/types';

export type Contributor = ContributorBody;

export const PERSON: Contributor = { kind: 'person' };
export const UNKNOWN: Contributor = { kind: 'unknown' };

/** Names of contributors that are recorded in English; the views translate them. */
export const FILE_ON_DISK = 'file on disk';
export const JUPYTER_SERVER = 'Jupyter server';
export const INLINE_COMPLETION = 'inline completion';

/** The writer of a change. */
export interface IWriter {
  /** Identifies the writer: consecutive writes with the same key belong together. */
  readonly key: string;
  /** Resolves when the contributor is known; null if the contributor is known already. */
  readonly pending: Promise<void> | null;
  /** The contributor; null if another page records the write. */
  readonly contributor: Contributor | null;
  /** The id of the command that wrote, if a command did. */
  readonly command?: string;
  /** Whether the writer may be another page, which records the changes made in it. */
  readonly mayBePage?: boolean;
  /** The contributor to record if no other page records the change. */
  readonly fallback?: Contributor | null;
  /** False if no command or input was found that caused the change. */
  readonly hasCause?: boolean;
}

/** Create a writer whose contributor is known. */
export function writerOf(contributor: Contributor, key?: string): IWriter {
  const name = contributor.name ?? '';
  return {
    key: key ?? `${contributor.kind} ${name}`,
    pending: null,
    contributor
  };
}

/** The person at this page, writing by keyboard or another input. */
export const PERSON_WRITER: IWriter = writerOf(PERSON);

/** Matches names that contain one of these words, which AI extensions and clients use. */
const AGENT_NAMES =
  /(^|[^a-z])(ai|mcp|llm|chat|chatbot|copilot|agent|agents|assistant|claude|codex|jupyternaut|persona|notebook-intelligence|nbmodelclient)([^a-z]|$)/i;

/** Whether a name looks like that of an AI extension or client. */
export function isAgentName(name: string): boolean {
  return AGENT_NAMES.test(name);
}
