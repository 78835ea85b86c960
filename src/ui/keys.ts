/** The keys of commands, as texts for people. */
import { CommandRegistry } from '@lumino/commands';
import { JSONExt, ReadonlyJSONObject } from '@lumino/coreutils';

/**
 * The arguments of shortcuts for editing with jupyterlab-vim; not shown in menus and the palette.
 */
export const VIM_ARGS = { vim: true } as const;

/** Return the keys of a command with these arguments, such as “Ctrl+K”; empty if it has none. */
export function keysOf(
  commands: Pick<CommandRegistry, 'keyBindings'>,
  command: string,
  args: ReadonlyJSONObject = {}
): string {
  const binding = commands.keyBindings.find(
    candidate =>
      candidate.command === command && JSONExt.deepEqual(candidate.args, args)
  );
  return binding ? CommandRegistry.formatKeystroke(binding.keys) : '';
}
