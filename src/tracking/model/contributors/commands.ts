/**
 * Finds the command that made a change, and its contributor.
 *
 * JupyterLab signals a command after the command's synchronous code has run. So at the end of the
 * current task, it is clear which command made a write in that task. A write without such a command
 * is assumed to be made by an asynchronous command that is still running.
 */
import type { CommandRegistry } from '@lumino/commands';

import {
  Contributor,
  INLINE_COMPLETION,
  PERSON,
  isAgentName
} from '../../../records/contributor';

/** JupyterLab's commands with which a person edits. */
const EDITING =
  /^(celltags|codemirror|completer|console|documentsearch|editmenu|fileeditor|lsp|notebook|toc):/;
/** The commands among `EDITING` that take long or don't write. */
const NOT_EDITING = /run|execut|restart|kernel|save|export|trust|render/;
/**
 * Other commands of JupyterLab and AI Server, which are never the cause of a write. AI Server marks
 * its own writes (`ownWrites.ts`).
 */
const NEUTRAL =
  /^(aiserver|apputils|application|cell-toolbar|debugger|docmanager|extensionmanager|filebrowser|filemenu|help|helpmenu|hub|inspector|kernelmenu|launcher|layout|logconsole|mainmenu|markdownviewer|property-inspector|rendermime|running|runmenu|settingeditor|settingsmenu|shell|sidebar|statusbar|tabsmenu|terminal|tooltip|translation|viewmenu|widgets|workspace-ui):/;

export interface ICommandWrite {
  readonly contributor: Contributor;
  readonly command: string;
}

type Executed = CommandRegistry.ICommandExecutedArgs;

export class RunningCommands {
  constructor(commands: Pick<CommandRegistry, 'commandExecuted'>) {
    commands.commandExecuted.connect(this._onExecuted, this);
  }

  /** Resolves to the command that made a write in the current task; null if none is found. */
  async find(): Promise<ICommandWrite | null> {
    const before = new Set(this._running);
    await Promise.resolve();
    // Of nested commands, the outer command emits its signal last.
    const started = [...this._running].filter(running => !before.has(running));
    const command = pickCause(started) ?? pickCause([...before]);
    return command ? { contributor: contributorOf(command), command } : null;
  }

  private _onExecuted(_: unknown, { id, result }: Executed): void {
    const running = { id };
    this._running.add(running);
    // Delete the command asynchronously, after `find` has read the running commands.
    void Promise.resolve(result)
      .catch(() => undefined)
      .then(() => this._running.delete(running));
  }

  /** Running commands, in the order of their signals. */
  private readonly _running = new Set<{ readonly id: string }>();
}

/**
 * The command that is the likely cause of a write: the last command of another extension, or else
 * the last editing command of JupyterLab.
 */
function pickCause(
  running: readonly { readonly id: string }[]
): string | undefined {
  const ids = running.map(({ id }) => id).reverse();
  return (
    ids.find(id => !EDITING.test(id) && !NEUTRAL.test(id)) ??
    ids.find(id => EDITING.test(id) && !NOT_EDITING.test(id))
  );
}

function contributorOf(command: string): Contributor {
  if (EDITING.test(command)) {
    return PERSON;
  }
  const name = command.split(':')[0];
  return name === 'inline-completer'
    ? { kind: 'program', name: INLINE_COMPLETION }
    : { kind: isAgentName(name) ? 'agent' : 'program', name };
}
