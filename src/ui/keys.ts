/** The keys of commands, and those of input methods. */
import { CommandRegistry } from '@lumino/commands';
import { JSONExt, ReadonlyJSONObject } from '@lumino/coreutils';
import type * as React from 'react';

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

/**
 * Return whether a key belongs to an input method. For the key that ends a composition, Safari sets
 * `isComposing` to false, but `keyCode` is 229, as for all keys that an input method handles.
 */
export function isComposing(event: React.KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
