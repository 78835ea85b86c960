/**
 * Finds the writer of each transaction of a notebook.
 *
 * Invariants:
 * - The person is the writer only if one of these made the change: an input in the page, an undo or
 *   redo, an editing command, or an action of AI Server that the person started.
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

/** Detect the cause of a change in the page. */
export interface ICauseDetectors {
  readonly commands?: Pick<RunningCommands, 'find'>;
  readonly input?: Pick<PageInput, 'isActive'>;
}

const DISK_WRITER = createWriter({ kind: 'program', name: FILE_ON_DISK });

const UNNAMED_PROGRAM: Contributor = { kind: 'program' };

export class Writers {
  constructor(
    notebook: YNotebook,
    private readonly _causeDetectors: ICauseDetectors
  ) {
    this._remote = new RemoteWriters(notebook.awareness);
  }

  /**
   * Return whether a person made the transaction by an input in an editor. Must be fast: called for
   * each keystroke.
   */
  isTyping({ local, origin }: ITransaction): boolean {
    return local && isEditorOrigin(origin) && isEditorInput();
  }

  /** @param isReload Whether the transaction reloaded the notebook from its file. */
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
   * Return the writer of a transaction whose cause isn't known yet. All such transactions before the
   * next microtask share it.
   */
  private _writerOfTask(): IWriter {
    if (!this._taskWriter) {
      const isInputActive = this._causeDetectors.input?.isActive ?? false;
      const key = `program ${++this._taskWriterCount}`;
      const writer: TaskWriter = createWriter(UNNAMED_PROGRAM, key);
      this._taskWriter = writer;
      // Later code may belong to another command.
      void Promise.resolve().then(() => (this._taskWriter = null));
      writer.pending = this._detectContributor(writer, isInputActive);
    }
    return this._taskWriter;
  }

  /**
   * Detect what caused the writer's changes, and set its contributor.
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
  private _taskWriter: TaskWriter | null = null;
  /** Makes the keys of task writers unique. */
  private _taskWriterCount = 0;
}

/**
 * The writer of the transactions in one task, the code until the next microtask, whose cause isn't
 * known yet. Its contributor is detected after the task. Until then, it is a program without a name.
 */
type TaskWriter = { -readonly [Field in keyof IWriter]: IWriter[Field] };

/** The origin of an undo or redo is Yjs's `UndoManager`. */
export function isUndo(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'undoStack' in origin;
}

/** The origin of an edit is the object that binds an editor to Yjs. */
function isEditorOrigin(origin: unknown): boolean {
  return !!origin && typeof origin === 'object' && 'ytext' in origin;
}
