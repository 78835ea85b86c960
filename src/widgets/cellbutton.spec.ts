import {
  createDefaultFactory,
  ToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import { ReactWidget, Toolbar } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import { addCellButton } from './cellbutton';

describe('the button in the toolbar of a cell', () => {
  it('does what the command does, and leaves nothing behind (P37)', async () => {
    let calls = 0;
    const commands = new CommandRegistry();
    commands.addCommand('do', { label: 'Do', execute: () => calls++ });
    const toolbars = new ToolbarWidgetRegistry({
      defaultFactory: createDefaultFactory(commands)
    });
    addCellButton(toolbars, 'ours', 'do');
    const item = { name: 'ours', command: 'do' };
    const button = toolbars.createWidget('Cell', new Widget(), item);
    const toolbar = new Toolbar();
    Widget.attach(toolbar, document.body);
    toolbar.addItem('ours', button);
    const [inner] = button.layout as Iterable<ReactWidget>;
    await inner.renderPromise;
    const drawn = button.node.querySelector<HTMLElement>('[data-command]')!;
    drawn.click();
    expect(calls).toBe(1);

    toolbar.dispose();
    expect(button.isDisposed).toBe(true);
    expect(button.node.childNodes).toHaveLength(0);
    expect(drawn.isConnected).toBe(false);
  });
});
