/** Contributors of changes, and writers: the contributor of one write, perhaps known only later. */
import type { ContributorBody } from '../api/types';

export type Contributor = ContributorBody;

export const PERSON: Contributor = { kind: 'person' };
export const UNKNOWN: Contributor = { kind: 'unknown' };

/** Recorded names that the views translate. */
export const FILE_ON_DISK = 'file on disk';
export const JUPYTER_SERVER = 'Jupyter server';
export const INLINE_COMPLETION = 'inline completion';

/** The writer of a change. */
export interface IWriter {
  /** The same for writes that belong together. */
  readonly key: string;
  /** Resolves when the contributor is known; null if it is known now. */
  readonly settled: Promise<void> | null;
  /** The contributor; null if the write is another page's to record. */
  readonly contributor: Contributor | null;
  /** The command that wrote it, if one did. */
  readonly command?: string;
  /** Whether another page wrote it that records its own changes. */
  readonly isPage?: boolean;
  /** The contributor of what such a page may have written, if it turns out that it didn't. */
  readonly alternative?: Contributor | null;
  /** False for a program that nothing names. */
  readonly isExplained?: boolean;
}

/** A writer whose contributor is known. */
export function writerOf(contributor: Contributor, key?: string): IWriter {
  const name = contributor.name ?? '';
  return {
    key: key ?? `${contributor.kind} ${name}`,
    settled: null,
    contributor
  };
}

/** The person at this page, by keys or another input. */
export const PERSON_WRITER: IWriter = writerOf(PERSON);

const AGENTS =
  /(^|[^a-z])(ai|mcp|llm|chat|chatbot|copilot|agent|agents|assistant|claude|codex|jupyternaut|persona|notebook-intelligence|nbmodelclient)([^a-z]|$)/i;

/** Whether a name is that of an AI extension or client. */
export function isAgentName(name: string): boolean {
  return AGENTS.test(name);
}
