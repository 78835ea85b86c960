import {
  createDefaultFactory,
  ToolbarWidgetRegistry
} from '@jupyterlab/apputils';
import { Toolbar, checkIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';
import { Widget } from '@lumino/widgets';

import { addCellButton } from './cellButton';

describe('CellButton', () => {
  let commands: CommandRegistry;
  let toolbar: Toolbar;
  let button: Widget;
  let isOn: boolean;

  beforeEach(() => {
    isOn = false;
    commands = new CommandRegistry();
    commands.addCommand('do', {
      label: 'Do',
      caption: 'Do it',
      icon: checkIcon,
      isToggled: () => isOn,
      isVisible: () => true,
      execute: () => {
        isOn = !isOn;
        commands.notifyCommandChanged('do');
      }
    });
    commands.addKeyBinding({ command: 'do', keys: ['X'], selector: 'body' });
    const toolbars = new ToolbarWidgetRegistry({
      defaultFactory: createDefaultFactory(commands)
    });
    addCellButton(toolbars, 'test-button', commands, 'do');
    button = toolbars.createWidget('Cell', new Widget(), {
      name: 'test-button'
    });
    toolbar = new Toolbar();
    Widget.attach(toolbar, document.body);
    toolbar.addItem('test-button', button);
  });

  afterEach(() => toolbar.dispose());

  it('reflects the command and executes it', () => {
    expect(button.node.getAttribute('aria-label')).toBe('Do');
    expect(button.node.title).toBe('Do it (X)');
    expect(button.node.querySelector('svg')).not.toBeNull();
    expect(button.node.getAttribute('aria-pressed')).toBe('false');
    button.node.click();
    expect(isOn).toBe(true);
    expect(button.node.getAttribute('aria-pressed')).toBe('true');
  });

  it('releases its contents on disposal (P37)', () => {
    toolbar.dispose();
    expect(button.isDisposed).toBe(true);
    expect(button.node.childNodes).toHaveLength(0);
    button.node.click();
    expect(isOn).toBe(false);
    isOn = true;
    commands.notifyCommandChanged('do');
    expect(button.node.getAttribute('aria-pressed')).toBe('false');
  });
});
