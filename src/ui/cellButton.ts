/**
 * A command's button in the toolbar that JupyterLab creates for each cell that becomes active.
 *
 * Invariant: disposing the toolbar leaks only one DOM element of the button. JupyterLab 4.6 retains
 * the contents of a disposed toolbar until the cell is deleted. JupyterLab's own kind of button
 * would leak about 130 listeners and 40 elements on each visit of the cell, so this is a plain
 * button with the same look.
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
    // For "many-changed" the id is undefined: any command may have changed.
    if (type !== 'removed' && (!id || id === this._command)) {
      this._draw();
    }
  }

  private _draw(): void {
    const [commands, id] = [this._commands, this._command];
    const label = commands.label(id);
    const caption = commands.caption(id) || label;
    const keys = commands.keyBindings
      .find(({ command }) => command === id)
      ?.keys.map(CommandRegistry.formatKeystroke);
    const node = this.node as HTMLButtonElement;
    node.setAttribute('aria-label', label);
    node.title = keys ? `${caption} (${keys.join(', ')})` : caption;
    node.disabled = !commands.isEnabled(id);
    this.setHidden(!commands.isVisible(id));
    if (commands.isToggleable(id)) {
      node.setAttribute('aria-pressed', String(commands.isToggled(id)));
    }
  }
}

/** Register a `CellButton` for a command in the toolbars of cells. */
export function addCellButton(
  toolbars: IToolbarWidgetRegistry,
  /** The button's name in the settings (`jupyter.lab.toolbars` in `schema`). */
  name: string,
  commands: CommandRegistry,
  command: string
): void {
  toolbars.addFactory('Cell', name, () => new CellButton(commands, command));
}
