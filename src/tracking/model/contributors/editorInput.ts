/**
 * Detects whether a person's input changes an editor: keys, paste, drop or a chosen completion.
 *
 * CodeMirror annotates such changes with a user event. Changes by programs have no user event.
 */
import { Extension, Prec, Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';

const INPUT = /^(input|delete|move|indent|undo|redo)(\.|$)/;

let isInput = false;

/** Whether an editor is processing a person's input. */
export function isEditorInput(): boolean {
  return isInput;
}

function onUpdate({ docChanged, transactions }: ViewUpdate): void {
  isInput =
    docChanged &&
    transactions.some(transaction =>
      INPUT.test(transaction.annotation(Transaction.userEvent) ?? '')
    );
}

/** An editor extension that runs before the editor's change is written into the shared model. */
export const editorInput: Extension = [
  Prec.highest(ViewPlugin.define(() => ({ update: onUpdate }))),
  EditorView.updateListener.of(() => {
    isInput = false;
  })
];
