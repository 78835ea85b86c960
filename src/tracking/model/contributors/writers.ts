/**
 * The writer of each transaction of a notebook.
 *
 * Invariants (P40): only a person's input, undo, editing command or act in an editor or search box
 * makes the person the writer. A program that nothing names is a program without a name.
 */
import type { YNotebook } from '@jupyter/ydoc';
import type { IDisposable } from '@lumino/disposable';

import type { ITransaction } from '../../../cells/transactions';
import type { Acts } from './pageInput';
import type { RunningCommands } from './commands';
import {
  Contributor,
  IWriter,
  FILE_ON_DISK,
  PERSON,
  PERSON_WRITER,
  writerOf
} from '../../../records/contributor';
import { isPersonsInput } from './editorInput';
import { isOwnWrite } from '../../../cells/ownWrites';
import { RemoteWriters } from './remote';

/** Explanations of changes in the page. */
export interface IExplanations {
  readonly commands?: Pick<RunningCommands, 'find'>;
  readonly acts?: Pick<Acts, 'isPersons'>;
}

const OWN = writerOf(PERSON, 'own');
const DISK = writerOf({ kind: 'program', name: FILE_ON_DISK });

export class Writers implements IDisposable {
  constructor(
    notebook: YNotebook,
    private readonly _explanations: IExplanations
  ) {
    this._remote = new RemoteWriters(notebook.awareness);
  }

  /** Whether a person's keys or undo made it. Cheap. */
  isTyping({ local, origin }: ITransaction): boolean {
    return local && isEditors(origin) && isPersonsInput();
  }

  /** The writer of a transaction. @param isWhole Whether it replaced all cells. */
  of(transaction: ITransaction, isWhole = false): IWriter {
    if (!transaction.local) {
      return this._remote.of(transaction);
    }
    if (isOwnWrite()) {
      return OWN;
    }
    if (this.isTyping(transaction) || isUndo(transaction.origin)) {
      return PERSON_WRITER;
    }
    return isWhole ? DISK : this._program();
  }

  get isDisposed(): boolean {
    return this._remote.isDisposed;
  }

  dispose(): void {
    this._remote.dispose();
  }

  /** One writer for all that is written in one go. */
  private _program(): IWriter {
    if (!this._now) {
      const isPersons = this._explanations.acts?.isPersons ?? false;
      const program = new Program(`program ${++this._count}`, isPersons);
      this._now = program;
      // Another command may write as soon as this one has ended.
      void Promise.resolve().then(() => (this._now = null));
      program.settled = this._settle(program);
    }
    return this._now;
  }

  private async _settle(program: Program): Promise<void> {
    const found = await this._explanations.commands?.find();
    if (found) {
      program.contributor = found.contributor;
      program.command = found.command;
    } else if (program.isPersons) {
      program.contributor = PERSON;
    } else {
      program.isExplained = false;
    }
    const { kind, name } = program.contributor;
    program.key = `${kind} ${name ?? ''}`;
    program.settled = null;
  }

  private readonly _remote: RemoteWriters;
  private _now: Program | null = null;
  private _count = 0;
}

class Program implements IWriter {
  constructor(
    public key: string,
    readonly isPersons: boolean
  ) {}

  contributor: Contributor = { kind: 'program' };
  command?: string;
  settled: Promise<void> | null = null;
  isExplained = true;
}

export function isUndo(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'undoStack' in origin;
}

/** Whether an editor wrote it into the shared model. */
function isEditors(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'ytext' in origin;
}
