/**
 * Marks changes of an editor that a person's input made: keys, paste, drop, a picked completion.
 *
 * CodeMirror names the user event of such a change; programs that dispatch changes name none.
 */
import { Extension, Prec, Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin, ViewUpdate } from '@codemirror/view';

const INPUT = /^(input|delete|move|indent|undo|redo)(\.|$)/;

let isInput = false;

/** Whether an editor is passing on a person's input right now. */
export function isPersonsInput(): boolean {
  return isInput;
}

function look({ docChanged, transactions }: ViewUpdate): void {
  isInput =
    docChanged &&
    transactions.some(transaction =>
      INPUT.test(transaction.annotation(Transaction.userEvent) ?? '')
    );
}

/** An editor extension. It comes first: before the one that writes into the shared model. */
export const editorInput: Extension = [
  Prec.highest(ViewPlugin.define(() => ({ update: look }))),
  EditorView.updateListener.of(() => {
    isInput = false;
  })
];
