/**
 * Finds the writer of each transaction of a notebook.
 *
 * Invariants (P40): the person is the writer only after an input, an undo, an editing command or an
 * event in an editor or search box. An unexplained change belongs to a program without a name.
 */
import type { YNotebook } from '@jupyter/ydoc';

import type { ITransaction } from '../../../cells/transactions';
import type { PageInput } from './pageInput';
import type { RunningCommands } from './commands';
import {
  Contributor,
  IWriter,
  FILE_ON_DISK,
  PERSON,
  PERSON_WRITER,
  writerOf
} from '../../../records/contributor';
import { isEditorInput } from './editorInput';
import { isOwnWrite } from '../../../cells/ownWrites';
import { RemoteWriters } from './remote';

/** Sources that explain changes in the page. */
export interface IExplanations {
  readonly commands?: Pick<RunningCommands, 'find'>;
  readonly input?: Pick<PageInput, 'isActive'>;
}

const OWN_WRITER = writerOf(PERSON, 'own');
const DISK_WRITER = writerOf({ kind: 'program', name: FILE_ON_DISK });

export class Writers {
  constructor(
    notebook: YNotebook,
    private readonly _explanations: IExplanations
  ) {
    this._remote = new RemoteWriters(notebook.awareness);
  }

  /** Whether a person's typing made the transaction. Cheap. */
  isTyping({ local, origin }: ITransaction): boolean {
    return local && isEditorOrigin(origin) && isEditorInput();
  }

  /** The writer of a transaction. @param isReload Whether it replaced all cells. */
  of(transaction: ITransaction, isReload = false): IWriter {
    if (!transaction.local) {
      return this._remote.of(transaction);
    }
    if (isOwnWrite()) {
      return OWN_WRITER;
    }
    if (this.isTyping(transaction) || isUndo(transaction.origin)) {
      return PERSON_WRITER;
    }
    return isReload ? DISK_WRITER : this._program();
  }

  dispose(): void {
    this._remote.dispose();
  }

  /** The writer of all unexplained transactions in the current task. */
  private _program(): IWriter {
    if (!this._current) {
      const isActive = this._explanations.input?.isActive ?? false;
      const program = new Program(`program ${++this._count}`, isActive);
      this._current = program;
      // The next task may belong to another command.
      void Promise.resolve().then(() => (this._current = null));
      program.pending = this._settle(program);
    }
    return this._current;
  }

  private async _settle(program: Program): Promise<void> {
    const match = await this._explanations.commands?.find();
    if (match) {
      program.contributor = match.contributor;
      program.command = match.command;
    } else if (program.isActive) {
      program.contributor = PERSON;
    } else {
      program.isExplained = false;
    }
    const { kind, name } = program.contributor;
    program.key = `${kind} ${name ?? ''}`;
    program.pending = null;
  }

  private readonly _remote: RemoteWriters;
  private _current: Program | null = null;
  private _count = 0;
}

class Program implements IWriter {
  constructor(
    public key: string,
    readonly isActive: boolean
  ) {}

  contributor: Contributor = { kind: 'program' };
  command?: string;
  pending: Promise<void> | null = null;
  isExplained = true;
}

export function isUndo(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'undoStack' in origin;
}

/** Whether an editor made the transaction. */
function isEditorOrigin(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'ytext' in origin;
}
