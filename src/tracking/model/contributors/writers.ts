/**
 * Finds the writer of each transaction of a notebook.
 *
 * Invariants:
 * - The person is the writer of a change only if one of these made it: an input in the page, an
 *   undo or redo, an editing command, or an action of AI Server that the person started.
 * - If the cause of a change isn't found, the writer is a program without a name.
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
import { ownWriteAuthor } from '../../../cells/ownWrites';
import { RemoteWriters } from './remote';

/** Objects that detect the cause of a change in the page: a running command or a person's input. */
export interface ICauseDetectors {
  readonly commands?: Pick<RunningCommands, 'find'>;
  readonly input?: Pick<PageInput, 'isActive'>;
}

const DISK_WRITER = createWriter({ kind: 'program', name: FILE_ON_DISK });

/** The contributor of a change in this page whose cause isn't found. */
const UNNAMED_PROGRAM: Contributor = { kind: 'program' };

export class Writers {
  constructor(
    notebook: YNotebook,
    private readonly _causeDetectors: ICauseDetectors
  ) {
    this._remote = new RemoteWriters(notebook.awareness);
  }

  /**
   * Return whether a person made the transaction by typing or another input in an editor. This
   * method must be fast, because it is called for each keystroke.
   */
  isTyping({ local, origin }: ITransaction): boolean {
    return local && isEditorOrigin(origin) && isEditorInput();
  }

  /**
   * Return the writer of a transaction.
   *
   * @param isReload Whether the transaction reloaded the notebook from its file.
   */
  writerOf(transaction: ITransaction, isReload = false): IWriter {
    if (!transaction.local) {
      return this._remote.writerOf(transaction);
    }
    const own = ownWriteAuthor();
    if (own) {
      const { kind, name = '' } = own.contributor;
      const key = `own ${kind} ${name} ${own.run ?? ''}`;
      const writer = createWriter(own.contributor, key);
      return own.data ? { ...writer, author: own } : writer;
    }
    if (this.isTyping(transaction) || isUndo(transaction.origin)) {
      return PERSON_WRITER;
    }
    return isReload ? DISK_WRITER : this._writerOfTask();
  }

  dispose(): void {
    this._remote.dispose();
  }

  /**
   * Return the writer of a transaction whose cause isn't known yet. All such transactions before
   * the next microtask have the same writer.
   */
  private _writerOfTask(): IWriter {
    if (!this._taskWriter) {
      const isInputActive = this._causeDetectors.input?.isActive ?? false;
      const key = `program ${++this._taskWriterCount}`;
      const writer: TaskWriter = createWriter(UNNAMED_PROGRAM, key);
      this._taskWriter = writer;
      // Later code may belong to another command, so it gets a new writer.
      void Promise.resolve().then(() => (this._taskWriter = null));
      writer.pending = this._detectContributor(writer, isInputActive);
    }
    return this._taskWriter;
  }

  /**
   * Detect what caused the writer's changes, and set the writer's contributor accordingly.
   *
   * @param isInputActive Whether a person was giving input when the task made its first write.
   */
  private async _detectContributor(
    writer: TaskWriter,
    isInputActive: boolean
  ): Promise<void> {
    const match = await this._causeDetectors.commands?.find();
    const contributor =
      match?.contributor ?? (isInputActive ? PERSON : UNNAMED_PROGRAM);
    Object.assign(writer, {
      ...createWriter(contributor),
      command: match?.command,
      hasCause: contributor !== UNNAMED_PROGRAM
    });
  }

  private readonly _remote: RemoteWriters;
  /** The writer of the current task (see `TaskWriter`); null if the task has made no write yet. */
  private _taskWriter: TaskWriter | null = null;
  /** The number of task writers that were created. It makes their keys unique. */
  private _taskWriterCount = 0;
}

/**
 * The writer of the transactions in one task whose cause isn't known yet. Here, a task is the code
 * that runs until the next microtask. The writer's contributor is detected after the task. Until
 * then, the contributor is a program without a name.
 */
type TaskWriter = { -readonly [Field in keyof IWriter]: IWriter[Field] };

/** Return whether a transaction's origin is Yjs's `UndoManager`, as it is for an undo or redo. */
export function isUndo(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'undoStack' in origin;
}

/** Return whether the origin of a transaction is the object that binds an editor to Yjs. */
function isEditorOrigin(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'ytext' in origin;
}
