/**
 * Finds the command that made a write, a change of a notebook's cells, and derives the contributor
 * from its id.
 *
 * JupyterLab emits a signal for a command after the command's synchronous part, so the signal
 * follows a write of this part in the same task. Without a signal of a command that may write, a
 * running asynchronous command is assumed to have made the write.
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
 * Matches exceptions from `EDITING_COMMAND`, which are never taken as the cause. Some don't write;
 * others run so long that other code may write meanwhile.
 */
const NON_EDITING_COMMAND =
  /run|execut|restart|kernel|save|export|trust|render/;
/**
 * Matches AI Server's commands, whose writes `ownWrites.ts` detects, and JupyterLab's commands that
 * don't edit notebooks. They are never taken as the cause.
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
   * Find the command that made a write; null if there is none. Call this when the write is made,
   * because it looks for commands of the current task.
   */
  async find(): Promise<ICommandWrite | null> {
    const runningBefore = new Set(this._running);
    // Wait for the signals of commands in the current task.
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
    // `catch` and `then` delay the deletion by some microtasks. `find` waits for one, so it still
    // sees a command that has ended.
    void Promise.resolve(result)
      .catch(() => undefined)
      .then(() => this._running.delete(running));
  }

  private readonly _running = new Set<{ readonly id: string }>();
}

/**
 * Return the likely cause of a write, if any.
 *
 * Commands that no pattern matches are preferred: those of extensions and of JupyterLab's inline
 * completer. Among several commands, the last is chosen, because a command's signal comes after
 * those of the commands that it executes.
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
