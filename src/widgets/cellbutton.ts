/**
 * A command of ours in the toolbar that JupyterLab makes anew for each cell one goes to.
 *
 * What must hold: once the toolbar is gone, nothing is left of the button but an empty element.
 * JupyterLab (4.6) keeps what was in each of these toolbars until the cell itself is gone, and of a
 * button that React drew that is some 130 listeners, for each time somebody came by.
 */
import type { IToolbarWidgetRegistry } from '@jupyterlab/apputils';
import type { Message } from '@lumino/messaging';
import { PanelLayout, Widget } from '@lumino/widgets';

export class CellButton extends Widget {
  constructor(button: Widget) {
    super();
    this.addClass('jp-AIServer-CellButton');
    const layout = (this.layout = new PanelLayout());
    layout.addWidget(button);
  }

  override dispose(): void {
    if (this.isDisposed) {
      return;
    }
    const toolbar: IReached | null = this.node.parentElement;
    super.dispose();
    if (toolbar) {
      forget(toolbar, this.node);
    }
    this.node.remove();
    this.node.replaceChildren();
  }

  override processMessage(msg: Message): void {
    if (msg.type === 'before-detach') {
      plain(this.node);
    }
    super.processMessage(msg);
  }
}

/**
 * Take a button's look from it while it is still in the page: a `jp-button` that goes with it
 * is remembered by what tells it of forced colours, and never let go.
 */
function plain(node: HTMLElement): void {
  for (const button of node.querySelectorAll('jp-button')) {
    button.removeAttribute('appearance');
  }
}

/** The element of a toolbar remembers what the arrow keys reach, though it is gone itself. */
function forget(toolbar: IReached, node: HTMLElement): void {
  const { focusableElements } = toolbar;
  if (Array.isArray(focusableElements)) {
    toolbar.focusableElements = focusableElements.filter(
      element => !node.contains(element)
    );
  }
}

interface IReached extends HTMLElement {
  focusableElements?: HTMLElement[];
}

/** Have a command's button in the toolbars of cells be one that leaves nothing behind. */
export function addCellButton(
  toolbars: IToolbarWidgetRegistry,
  /** The name that the settings give it (`jupyter.lab.toolbars` in `schema`). */
  name: string,
  command: string
): void {
  toolbars.addFactory('Cell', name, cell => {
    const item = { name, command };
    return new CellButton(toolbars.defaultFactory('Cell', cell, item));
  });
}
