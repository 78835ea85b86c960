/** Lets the editors of cells show and change sources with the line breaks of Windows. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import {
  EditorExtensionRegistry,
  IEditorExtensionRegistry
} from '@jupyterlab/codemirror';

import { lineBreaks } from './model/lineBreaks';

export const lineBreaksPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:line-breaks',
  description:
    'Keeps cells and their editors equal if cells have the line breaks of Windows.',
  autoStart: true,
  requires: [IEditorExtensionRegistry],
  activate: (_: JupyterFrontEnd, editors: IEditorExtensionRegistry) => {
    editors.addExtension({
      name: 'aiserver:line-breaks',
      factory: ({ inline }) =>
        inline === false
          ? null // A text file, whose line breaks JupyterLab converts.
          : EditorExtensionRegistry.createImmutableExtension(lineBreaks)
    });
  }
};
