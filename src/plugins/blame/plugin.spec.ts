import { CommandRegistry } from '@lumino/commands';

import schema from '../../../schema/blame.json';
import { CommandIDs } from '../../tokens';

describe('Ctrl+Alt+B', () => {
  it.each(['jp-Notebook', 'jp-AIServer-Replay'])(
    'shows the contributors with the focus in %s (P38)',
    name => {
      const commands = new CommandRegistry();
      const execute = jest.fn();
      commands.addCommand(CommandIDs.blame, { execute });
      schema['jupyter.lab.shortcuts']
        .filter(({ command }) => command === CommandIDs.blame)
        .forEach(binding => commands.addKeyBinding({ ...binding, args: {} }));
      document.body.innerHTML = `<div class="${name}"><button></button></div>`;
      document.body.onkeydown = event => commands.processKeydownEvent(event);
      const init = { keyCode: 66, ctrlKey: true, altKey: true, bubbles: true };
      const event = new KeyboardEvent('keydown', init);
      document.querySelector('button')?.dispatchEvent(event);
      expect(execute).toHaveBeenCalledTimes(1);
    }
  );
});
