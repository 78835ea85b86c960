/** The sidebar for specs. */
import { EditorLanguageRegistry } from '@jupyterlab/codemirror';
import { nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';
import { MessageLoop } from '@lumino/messaging';

import type { ReplayModel } from '../model/replay';
import { ReplayPanel } from './panel';

export function createPanel(
  model: ReplayModel,
  commands = new CommandRegistry()
): ReplayPanel {
  // jsdom lacks this function.
  window.requestIdleCallback ??= ((done: () => void) =>
    setTimeout(done)) as never;
  const languages = new EditorLanguageRegistry();
  return new ReplayPanel({ model, commands, languages }, nullTranslator);
}

/** Draw until something is found; jest ends a test that waits too long. */
export async function until<T>(
  find: () => T | null | undefined | false
): Promise<T> {
  for (;;) {
    MessageLoop.flush();
    const result = find();
    if (result) {
      return result;
    }
    await new Promise(resolve => setTimeout(resolve));
  }
}
