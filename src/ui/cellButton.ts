/**
 * A command of ours in the toolbar that JupyterLab makes anew for each cell one goes to.
 *
 * What must hold: once the toolbar is gone, nothing is left of the button but one element.
 * JupyterLab (4.6) keeps what was in each of these toolbars until the cell itself is gone: of a
 * button of its own that is some 130 listeners and 40 elements, each time somebody comes by. So
 * this one is a plain button, with JupyterLab's look.
 */
import type { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { LabIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

export class CellButton extends Widget {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _command: string
  ) {
    const node = document.createElement('button');
    node.type = 'button';
    node.dataset.command = _command;
    super({ node });
    this.addClass('jp-AIServer-CellButton');
    const icon = _commands.icon(_command);
    if (icon instanceof LabIcon) {
      icon.element({ container: node });
    }
    _commands.commandChanged.connect(this._onChanged, this);
    this._draw();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      Signal.clearData(this);
      super.dispose();
      this.node.replaceChildren();
    }
  }

  handleEvent(): void {
    void this._commands.execute(this._command);
  }

  protected override onAfterAttach(): void {
    this.node.addEventListener('click', this);
  }

  protected override onBeforeDetach(): void {
    this.node.removeEventListener('click', this);
  }

  private _onChanged(
    _: CommandRegistry,
    { id, type }: CommandRegistry.ICommandChangedArgs
  ): void {
    // Of "many-changed" the id is undefined: any may have.
    if (type !== 'removed' && (!id || id === this._command)) {
      this._draw();
    }
  }

  private _draw(): void {
    const [commands, id] = [this._commands, this._command];
    const label = commands.label(id);
    const said = commands.caption(id) || label;
    const keys = commands.keyBindings
      .find(({ command }) => command === id)
      ?.keys.map(CommandRegistry.formatKeystroke);
    const node = this.node as HTMLButtonElement;
    node.setAttribute('aria-label', label);
    node.title = keys ? `${said} (${keys.join(', ')})` : said;
    node.disabled = !commands.isEnabled(id);
    this.setHidden(!commands.isVisible(id));
    if (commands.isToggleable(id)) {
      node.setAttribute('aria-pressed', String(commands.isToggled(id)));
    }
  }
}

/** Have a command's button in the toolbars of cells be one that leaves nothing behind. */
export function addCellButton(
  toolbars: IToolbarWidgetRegistry,
  /** The name that the settings give it (`jupyter.lab.toolbars` in `schema`). */
  name: string,
  commands: CommandRegistry,
  command: string
): void {
  toolbars.addFactory('Cell', name, () => new CellButton(commands, command));
}
