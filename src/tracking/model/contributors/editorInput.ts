/**
 * Detects whether a person's input is changing the text in an editor. An input is a key, a paste, a
 * drop, a chosen completion or the like.
 *
 * CodeMirror annotates a change by such an input with a user event. A change by a program has no
 * user event.
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
 * An editor extension that sets `isProcessingInput` before an editor's change is written into the
 * shared model, and resets it afterwards.
 */
export const editorInput: Extension = [
  Prec.highest(ViewPlugin.define(() => ({ update: onUpdate }))),
  EditorView.updateListener.of(() => {
    isProcessingInput = false;
  })
];
