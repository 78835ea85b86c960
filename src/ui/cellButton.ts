/**
 * A button for a command in the cell toolbar, which JupyterLab creates whenever a cell becomes
 * active, and disposes when another cell becomes active.
 *
 * JupyterLab 4.6 doesn't free the contents of a disposed toolbar before the cell is deleted.
 * JupyterLab's own toolbar buttons would therefore leak about 130 listeners and 40 elements each
 * time the cell becomes active. So this is a plain button with the same look.
 *
 * Invariant: a disposed button leaks no more than one DOM element.
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
    // A change of several commands ("many-changed") has no id and may concern this command.
    if (type !== 'removed' && (!id || id === this._command)) {
      this._draw();
    }
  }

  private _draw(): void {
    const { _commands: commands, _command: id } = this;
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

/** Show a `CellButton` for a command in the toolbar of each active cell. */
export function addCellButton(
  toolbars: IToolbarWidgetRegistry,
  /** The button's name in the settings (`jupyter.lab.toolbars` in `schema`). */
  name: string,
  commands: CommandRegistry,
  command: string
): void {
  toolbars.addFactory('Cell', name, () => new CellButton(commands, command));
}
