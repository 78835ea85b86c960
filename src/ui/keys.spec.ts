import { CommandRegistry } from '@lumino/commands';

import { VIM_ARGS, keysOf } from './keys';
import { CommandIDs } from '../tokens';
import askSchema from '../../schema/ask.json';

describe('keysOf', () => {
  it('names the usual keys of a request, and those for Vim on demand', () => {
    const commands = new CommandRegistry();
    const shortcuts = askSchema['jupyter.lab.shortcuts'];
    // Whatever the order in which JupyterLab adds them.
    for (const shortcut of [...shortcuts, ...[...shortcuts].reverse()]) {
      commands.addKeyBinding(shortcut);
    }
    expect(keysOf(commands, CommandIDs.ask)).toBe('Ctrl+K');
    expect(keysOf(commands, CommandIDs.ask, VIM_ARGS)).toBe('Alt+K');
    expect(keysOf(commands, CommandIDs.fix)).toBe('');
  });

  it('leaves the keys for Vim to notebooks in Vim mode', () => {
    const [, vim] = askSchema['jupyter.lab.shortcuts'];
    document.body.innerHTML =
      '<div class="jp-NotebookPanel"><div class="jp-Notebook jp-mod-editMode"></div></div>';
    const panel = document.body.firstElementChild as HTMLElement;
    expect(panel.firstElementChild!.matches(vim.selector)).toBe(false);
    panel.dataset.jpVimMode = 'true'; // As jupyterlab-vim does.
    expect(panel.firstElementChild!.matches(vim.selector)).toBe(true);
  });
});
