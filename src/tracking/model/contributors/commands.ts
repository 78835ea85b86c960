/**
 * Finds the command that wrote something, and its contributor.
 *
 * A command is announced when its synchronous part has run. So a write waits for the end of the
 * running task to learn its command; one that came later in an asynchronous command is explained
 * by the commands that have not ended.
 */
import type { CommandRegistry } from '@lumino/commands';

import {
  Contributor,
  INLINE_COMPLETION,
  PERSON,
  isAgentName
} from '../../../records/contributor';

/** Commands of JupyterLab by which a person edits. */
const EDITING =
  /^(celltags|codemirror|completer|console|documentsearch|editmenu|fileeditor|lsp|notebook|toc):/;
/** Of these, those that go on for long or write nothing. */
const NOT_EDITING = /run|execut|restart|kernel|save|export|trust|render/;
/** Other commands of JupyterLab explain no write; what AI Server writes is marked (`own.ts`). */
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

  /** Resolves to the command of a write that was made just now; null if there is none. */
  async find(): Promise<ICommandWrite | null> {
    const before = new Set(this._running);
    await Promise.resolve();
    // The outer one of commands that ran one in another is announced last.
    const announced = [...this._running].filter(one => !before.has(one));
    const found = pick(announced) ?? pick([...before]);
    return found ? { contributor: contributorOf(found), command: found } : null;
  }

  private _onExecuted(_: unknown, { id, result }: Executed): void {
    const running = { id };
    this._running.add(running);
    // Later than `find` looks for what was announced.
    void Promise.resolve(result)
      .catch(() => undefined)
      .then(() => this._running.delete(running));
  }

  /** Commands that were announced and have not ended, in that order. */
  private readonly _running = new Set<{ readonly id: string }>();
}

/** The command that explains a write: the last one of an extension, else of JupyterLab. */
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
