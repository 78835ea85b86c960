/**
 * Finds the command that made a change, and its contributor.
 *
 * A command emits its signal after its synchronous part has run. So the command of a write is known
 * at the end of the current task; a later write of an asynchronous command is explained by the
 * commands that are still running.
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
/** Those of them that run for long or write nothing. */
const NOT_EDITING = /run|execut|restart|kernel|save|export|trust|render/;
/** Other commands of JupyterLab explain no write; AI Server marks its own (`ownWrites.ts`). */
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

  /** Resolves to the command of a write in the current task; null if there is none. */
  async find(): Promise<ICommandWrite | null> {
    const before = new Set(this._running);
    await Promise.resolve();
    // Of nested commands, the outer one emits its signal last.
    const started = [...this._running].filter(running => !before.has(running));
    const command = pick(started) ?? pick([...before]);
    return command ? { contributor: contributorOf(command), command } : null;
  }

  private _onExecuted(_: unknown, { id, result }: Executed): void {
    const running = { id };
    this._running.add(running);
    // After `find` has read the running commands.
    void Promise.resolve(result)
      .catch(() => undefined)
      .then(() => this._running.delete(running));
  }

  /** Running commands, in the order of their signals. */
  private readonly _running = new Set<{ readonly id: string }>();
}

/** The command that explains a write: the last of an extension, or else of JupyterLab. */
function pick(running: readonly { readonly id: string }[]): string | undefined {
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
