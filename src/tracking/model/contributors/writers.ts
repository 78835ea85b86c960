/**
 * Finds the writer of each transaction of a notebook.
 *
 * Invariants: the person is the writer only after an input, an undo, an editing command or an event
 * in an editor or search box. A change without a detected cause belongs to a program without a
 * name.
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
  createWriter
} from '../../../records/contributor';
import { isEditorInput } from './editorInput';
import { isOwnWrite } from '../../../cells/ownWrites';
import { RemoteWriters } from './remote';

/** Detect what caused a change in the page: a command that is running, or a person's input. */
export interface ICauseDetectors {
  readonly commands?: Pick<RunningCommands, 'find'>;
  readonly input?: Pick<PageInput, 'isActive'>;
}

const OWN_WRITER = createWriter(PERSON, 'own');
const DISK_WRITER = createWriter({ kind: 'program', name: FILE_ON_DISK });

export class Writers {
  constructor(
    notebook: YNotebook,
    private readonly _causeDetectors: ICauseDetectors
  ) {
    this._remote = new RemoteWriters(notebook.awareness);
  }

  /** Whether a person's typing made the transaction. Cheap, because it is called per keystroke. */
  isTyping({ local, origin }: ITransaction): boolean {
    return local && isEditorOrigin(origin) && isEditorInput();
  }

  /** The writer of a transaction. @param isReload Whether the transaction replaced all cells. */
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

  /** The writer of all transactions in the current task whose cause isn't known yet. */
  private _program(): IWriter {
    if (!this._current) {
      const isInputActive = this._causeDetectors.input?.isActive ?? false;
      const key = `program ${++this._programCount}`;
      const program = new Program(key, isInputActive);
      this._current = program;
      // The next task may belong to another command, so it gets another writer.
      void Promise.resolve().then(() => (this._current = null));
      program.pending = this._detectContributor(program);
    }
    return this._current;
  }

  /** Set the contributor of a program as soon as the cause of its changes can be detected. */
  private async _detectContributor(program: Program): Promise<void> {
    const match = await this._causeDetectors.commands?.find();
    if (match) {
      program.contributor = match.contributor;
      program.command = match.command;
    } else if (program.isInputActive) {
      program.contributor = PERSON;
    } else {
      program.hasCause = false;
    }
    const { kind, name } = program.contributor;
    program.key = `${kind} ${name ?? ''}`;
    program.pending = null;
  }

  private readonly _remote: RemoteWriters;
  private _current: Program | null = null;
  private _programCount = 0;
}

/** A writer whose contributor is detected at the end of the current task. */
class Program implements IWriter {
  /** @param isInputActive Whether a person was giving input when the writer wrote. */
  constructor(
    public key: string,
    readonly isInputActive: boolean
  ) {}

  contributor: Contributor = { kind: 'program' };
  command?: string;
  pending: Promise<void> | null = null;
  hasCause = true;
}

/** Whether an undo or redo made the transaction: Yjs's `UndoManager` is its origin. */
export function isUndo(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'undoStack' in origin;
}

/** Whether an editor made the transaction: the binding of CodeMirror to Yjs is its origin. */
function isEditorOrigin(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'ytext' in origin;
}
