/**
 * Finds the command that made a write, which is a change of a notebook's cells, and derives the
 * contributor from the command's id.
 *
 * JupyterLab emits a signal for a command after the synchronous part of the command has run. If the
 * synchronous part makes a write, the signal follows in the same task. If no signal follows, this
 * module assumes that an asynchronous command that is still running made the write.
 */
import type { CommandRegistry } from '@lumino/commands';

import {
  Contributor,
  INLINE_COMPLETION,
  PERSON,
  isAgentName
} from '../../../records/contributor';

/** Matches JupyterLab's commands with which a person edits a notebook. */
const EDITING_COMMAND =
  /^(celltags|codemirror|completer|console|documentsearch|editmenu|fileeditor|lsp|notebook|toc):/;
/**
 * Matches the commands that are never taken as the cause of a write although they match
 * `EDITING_COMMAND`. Some of these commands don't write. Others run for so long that other code may
 * write at the same time.
 */
const NON_EDITING_COMMAND =
  /run|execut|restart|kernel|save|export|trust|render/;
/**
 * Matches JupyterLab's other commands and the commands of AI Server. These commands are never taken
 * as the cause of a write. `ownWrites.ts` detects the writes that AI Server makes.
 */
const IGNORED_COMMAND =
  /^(aiserver|apputils|application|cell-toolbar|debugger|docmanager|extensionmanager|filebrowser|filemenu|help|helpmenu|hub|inspector|kernelmenu|launcher|layout|logconsole|mainmenu|markdownviewer|property-inspector|rendermime|running|runmenu|settingeditor|settingsmenu|shell|sidebar|statusbar|tabsmenu|terminal|tooltip|translation|viewmenu|widgets|workspace-ui):/;

/** A write that was made by a command. */
export interface ICommandWrite {
  readonly contributor: Contributor;
  /** The id of the command. */
  readonly command: string;
}

type ExecutedArgs = CommandRegistry.ICommandExecutedArgs;

export class RunningCommands {
  constructor(commands: Pick<CommandRegistry, 'commandExecuted'>) {
    commands.commandExecuted.connect(this._onExecuted, this);
  }

  /**
   * Find the command that made a write. Call this method when the write is made, because it looks
   * for commands of the current task. Resolves to null if no command is found.
   */
  async find(): Promise<ICommandWrite | null> {
    const runningBefore = new Set(this._running);
    // Wait for the signals of the commands that are running in the current task.
    await Promise.resolve();
    const signaled = [...this._running].filter(
      running => !runningBefore.has(running)
    );
    const command = pickCause(signaled) ?? pickCause([...runningBefore]);
    return command ? { contributor: contributorOf(command), command } : null;
  }

  private _onExecuted(_: unknown, { id, result }: ExecutedArgs): void {
    const running = { id };
    this._running.add(running);
    // `catch` and `then` delay the deletion by some microtasks. `find` waits for only one, so it
    // still sees a command that has already ended.
    void Promise.resolve(result)
      .catch(() => undefined)
      .then(() => this._running.delete(running));
  }

  /** The running commands, in the order of their signals. */
  private readonly _running = new Set<{ readonly id: string }>();
}

/**
 * Return the id of the command that is the likely cause of a write: the last command of an
 * extension or, if there is none, the last editing command of JupyterLab. The signal of a command
 * comes after the signals of the commands that it executes, so the last command is chosen.
 */
function pickCause(
  commands: readonly { readonly id: string }[]
): string | undefined {
  const ids = commands.map(({ id }) => id).reverse();
  return (
    ids.find(id => !EDITING_COMMAND.test(id) && !IGNORED_COMMAND.test(id)) ??
    ids.find(id => EDITING_COMMAND.test(id) && !NON_EDITING_COMMAND.test(id))
  );
}

function contributorOf(command: string): Contributor {
  if (EDITING_COMMAND.test(command)) {
    return PERSON;
  }
  const name = command.split(':')[0];
  return name === 'inline-completer'
    ? { kind: 'program', name: INLINE_COMPLETION }
    : { kind: isAgentName(name) ? 'agent' : 'program', name };
}
