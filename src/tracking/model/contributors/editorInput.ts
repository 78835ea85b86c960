/**
 * Detects whether a person's input, such as a key, a paste, a drop or a chosen completion, is
 * changing the text in an editor.
 *
 * CodeMirror annotates such a change with a user event, but not a change by a program.
 */
import { Extension, Prec, Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';

const INPUT_EVENT = /^(input|delete|move|indent|undo|redo)(\.|$)/;

let isProcessingInput = false;

export function isEditorInput(): boolean {
  return isProcessingInput;
}

function onUpdate({ docChanged, transactions }: ViewUpdate): void {
  isProcessingInput =
    docChanged &&
    transactions.some(transaction =>
      INPUT_EVENT.test(transaction.annotation(Transaction.userEvent) ?? '')
    );
}

/**
 * Sets `isProcessingInput` before an editor's change is written into the shared model, and resets it
 * afterwards.
 */
export const editorInput: Extension = [
  Prec.highest(ViewPlugin.define(() => ({ update: onUpdate }))),
  EditorView.updateListener.of(() => {
    isProcessingInput = false;
  })
];
