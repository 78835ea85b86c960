/** The keys of commands, and those of input methods. */
import { CommandRegistry } from '@lumino/commands';
import { JSONExt, ReadonlyJSONObject } from '@lumino/coreutils';
import type * as React from 'react';

/** The arguments of shortcuts for jupyterlab-vim, which aren't shown in menus and the palette. */
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
 * Return whether the key belongs to an input method: `keyCode` is 229 for all of its keys, also in
 * Safari, which sets `isComposing` to false for the last one.
 */
export function isComposing(event: React.KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
