/** Adds the placeholder, a text that says how to ask for code, to the editors of empty cells. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { CommandRegistry } from '@lumino/commands';

import { CommandIDs } from '../tokens';
import { askPlaceholder } from './view/placeholder';

export const placeholderPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:placeholder',
  description: 'Shows in empty cells how to ask for code.',
  autoStart: true,
  requires: [IEditorExtensionRegistry],
  optional: [ITranslator],
  activate: (
    app: JupyterFrontEnd,
    editors: IEditorExtensionRegistry,
    translator: ITranslator | null
  ) => {
    const trans = (translator ?? nullTranslator).load('aiserver');
    const placeholderText = () => {
      const binding = app.commands.keyBindings.find(
        ({ command }) => command === CommandIDs.ask
      );
      const keys = binding?.keys.map(CommandRegistry.formatKeystroke).join(' ');
      return keys
        ? trans.__('Write code, or press %1 to ask for it', keys)
        : trans.__(
            'Write code, or select the spark icon in the toolbar to ask for it'
          );
    };
    editors.addExtension({
      name: 'aiserver:placeholder',
      factory: ({ inline }) =>
        inline === false
          ? null // This is the editor of a text file, not of a cell.
          : EditorExtensionRegistry.createImmutableExtension(
              askPlaceholder(placeholderText)
            )
    });
  }
};
