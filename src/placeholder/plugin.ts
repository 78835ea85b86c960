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

import { removeChineseSpaces } from '../labels/serverText';
import { CommandIDs } from '../tokens';
import { keysOf } from '../ui/keys';
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
    const placeholderTexts = () => {
      const keys = keysOf(app.commands, CommandIDs.ask);
      const link = keys
        ? trans.__('ask for it (%1)', keys)
        : trans.__('ask for it');
      const text = removeChineseSpaces(trans.__('Write code, or %1', link));
      return { text, link };
    };
    const ask = () => void app.commands.execute(CommandIDs.ask);
    editors.addExtension({
      name: 'aiserver:placeholder',
      factory: ({ inline }) =>
        inline === false
          ? null // This is the editor of a text file, not of a cell.
          : EditorExtensionRegistry.createImmutableExtension(
              askPlaceholder(placeholderTexts, ask)
            )
    });
  }
};
