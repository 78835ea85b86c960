/**
 * A button for the toolbar of the active cell, which looks like JupyterLab's own. JupyterLab 4.6
 * keeps the contents of a disposed cell toolbar, so each of its own buttons would leak about 130
 * listeners and 40 elements whenever a cell becomes active.
 *
 * Invariant: a disposed button leaks no more than one DOM element.
 */
import type { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import { LabIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Signal } from '@lumino/signaling';
import { Widget } from '@lumino/widgets';

import { keysOf } from './keys';

export class CellButton extends Widget {
  constructor(
    private readonly _commands: CommandRegistry,
    private readonly _commandId: string
  ) {
    const node = document.createElement('button');
    node.type = 'button';
    node.dataset.command = _commandId;
    super({ node });
    this.addClass('jp-AIServer-CellButton');
    const icon = _commands.icon(_commandId);
    if (icon instanceof LabIcon) {
      icon.element({ container: node });
    }
    // A press of the mouse doesn't move the focus, so that the command can use the selection.
    node.onmousedown = event => event.preventDefault();
    node.onclick = () => void _commands.execute(_commandId);
    _commands.commandChanged.connect(this._onChanged, this);
    this._draw();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      Signal.clearData(this);
      super.dispose();
      this.node.onclick = this.node.onmousedown = null;
      this.node.replaceChildren();
    }
  }

  private _onChanged(
    _: CommandRegistry,
    { id, type }: CommandRegistry.ICommandChangedArgs
  ): void {
    // Without `id`, any command may have changed.
    if (type !== 'removed' && (!id || id === this._commandId)) {
      this._draw();
    }
  }

  private _draw(): void {
    const { _commands: commands, _commandId: id } = this;
    const label = commands.label(id);
    const caption = commands.caption(id) || label;
    const keys = keysOf(commands, id);
    const node = this.node as HTMLButtonElement;
    node.setAttribute('aria-label', label);
    node.title = keys ? `${caption} (${keys})` : caption;
    node.disabled = !commands.isEnabled(id);
    this.setHidden(!commands.isVisible(id));
    if (commands.isToggleable(id)) {
      node.setAttribute('aria-pressed', String(commands.isToggled(id)));
    }
  }
}

/** Show a `CellButton` for a command in the toolbar of the active cell. */
export function addCellButton(
  toolbars: IToolbarWidgetRegistry,
  /** Its name in the settings (`jupyter.lab.toolbars` in `schema`). */
  name: string,
  commands: CommandRegistry,
  command: string
): void {
  toolbars.addFactory('Cell', name, () => new CellButton(commands, command));
}
