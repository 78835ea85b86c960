/**
 * Finds the command that made a write, and derives the contributor from the command's id. A write
 * is a change of a notebook's cells.
 *
 * JupyterLab emits a signal for a command after the synchronous part of the command has run. If the
 * synchronous part makes a write, the signal follows in the same task. If no signal of a command
 * that may write follows, this module assumes that an asynchronous command made the write: one that
 * is still running.
 */
import type { CommandRegistry } from '@lumino/commands';

import {
  Contributor,
  INLINE_COMPLETION,
  PERSON,
  isAgentName
} from '../../../records/contributor';

/** Matches the ids of JupyterLab's commands with which a person edits a notebook. */
const EDITING_COMMAND =
  /^(celltags|codemirror|completer|console|documentsearch|editmenu|fileeditor|lsp|notebook|toc):/;
/**
 * Matches the exceptions among the ids that `EDITING_COMMAND` matches. These commands are never
 * taken as the cause of a write. Some of them don't write. Others run for so long that other code
 * may write at the same time.
 */
const NON_EDITING_COMMAND =
  /run|execut|restart|kernel|save|export|trust|render/;
/**
 * Matches the ids of AI Server's commands, and of JupyterLab's commands that don't edit notebooks.
 * They are never taken as the cause of a write. `ownWrites.ts` detects AI Server's own writes.
 */
const IGNORED_COMMAND =
  /^(aiserver|apputils|application|cell-toolbar|debugger|docmanager|extensionmanager|filebrowser|filemenu|help|helpmenu|hub|inspector|kernelmenu|launcher|layout|logconsole|mainmenu|markdownviewer|property-inspector|rendermime|running|runmenu|settingeditor|settingsmenu|shell|sidebar|statusbar|tabsmenu|terminal|tooltip|translation|viewmenu|widgets|workspace-ui):/;

export interface ICommandWrite {
  readonly contributor: Contributor;
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
    // `catch` and `then` delay the deletion by some microtasks, but `find` waits for only one
    // microtask. So `find` still sees a command that has already ended.
    void Promise.resolve(result)
      .catch(() => undefined)
      .then(() => this._running.delete(running));
  }

  private readonly _running = new Set<{ readonly id: string }>();
}

/**
 * Return the id of the command that is the likely cause of a write; undefined if there is none.
 *
 * Commands that none of the patterns match are preferred: those of extensions and of JupyterLab's
 * inline completer. If there are none, an editing command of JupyterLab is chosen. Among several
 * commands, the last is chosen, because a command's signal comes after the signals of the commands
 * that it executes.
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
