/** The keys of commands, and those of input methods. */
import { CommandRegistry } from '@lumino/commands';
import { JSONExt, ReadonlyJSONObject } from '@lumino/coreutils';
import type * as React from 'react';

/** The arguments of shortcuts for jupyterlab-vim, which aren't shown in menus and the palette. */
export const VIM_ARGS = { vim: true } as const;

/** Such as “Ctrl+K”; empty if the command has no keys with these arguments. */
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
 * `keyCode` is 229 for all keys of an input method, also in Safari, which sets `isComposing` to
 * false for the last one.
 */
export function isComposing(event: React.KeyboardEvent): boolean {
  return event.nativeEvent.isComposing || event.keyCode === 229;
}
