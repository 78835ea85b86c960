/** Random operations of people on a notebook. */
import { NotebookActions } from '@jupyterlab/notebook';
import * as fc from 'fast-check';

import type { IServer, OpenNotebook } from './tracking.fakes';

const TEXTS = [
  '',
  'x = 1',
  'x = 1\n\ny = 2',
  '\nprint("你好 📈")\n',
  'raise ValueError',
  'a\n\n\nb\r\n\tc  ',
  '%%bash\necho 1\n'
];

/**
 * Applies to the cell whose index is `at` modulo the number of cells and, with `to`, to this number
 * of cells below it.
 */
export type Operation =
  | { do: 'type'; at: number; text: string }
  | { do: 'run' | 'delete' | 'copy' | 'cut' | 'merge'; at: number; to: number }
  | { do: 'move'; at: number; down: boolean }
  | { do: 'split'; at: number; offset: number }
  // `retype` changes the type of the cell to `kind`.
  | { do: 'retype'; at: number; kind: 'code' | 'markdown' | 'raw' }
  | { do: 'generate'; at: number; text: string; accept: boolean }
  | { do: 'paste' | 'insert' | 'duplicate'; at: number }
  // `leave`: as if the person had left the page.
  | { do: 'undo' | 'redo' | 'save' | 'leave' | 'reopen' };

const at = fc.nat(9);
const text = fc.oneof(
  fc.constantFrom(...TEXTS),
  fc.string({ unit: 'grapheme', maxLength: 12 })
);
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('type' as const), at, text })
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['run', 'delete', 'copy', 'cut', 'merge'] as const)
      ),
      at,
      to: fc.nat(2)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      at,
      down: fc.boolean()
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('split' as const),
      at,
      offset: fc.nat(20)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('retype' as const),
      at,
      kind: fc.constantFrom(
        'code' as const,
        'markdown' as const,
        'raw' as const
      )
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('generate' as const),
      at,
      text,
      accept: fc.boolean()
    })
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(...(['paste', 'insert', 'duplicate'] as const)),
      at
    })
  },
  {
    weight: 9,
    arbitrary: fc.record({
      do: fc.constantFrom(
        ...(['undo', 'undo', 'redo', 'save', 'leave', 'reopen'] as const)
      )
    })
  }
);

/**
 * Perform an operation. `generate` adds `[cell id, text]` to `answers`.
 *
 * @returns The notebook, after `reopen` in a new page.
 */
export async function perform<S extends IServer>(
  open: OpenNotebook<S>,
  operation: Operation,
  answers: [string, string][]
): Promise<OpenNotebook<S>> {
  if (operation.do === 'reopen') {
    return open.reopen();
  }
  if ('at' in operation) {
    await performAt(open, operation, answers);
  } else if (operation.do === 'save') {
    await open.save();
  } else if (operation.do === 'leave') {
    open.page.tracking.captureAll();
  } else {
    NotebookActions[operation.do](open.panel.content);
  }
  await open.settle();
  return open;
}

const ACTIONS = {
  delete: NotebookActions.deleteCells,
  copy: NotebookActions.copy,
  cut: NotebookActions.cut,
  merge: NotebookActions.mergeCells,
  paste: NotebookActions.paste,
  duplicate: NotebookActions.duplicate,
  insert: NotebookActions.insertBelow
};

async function performAt<S extends IServer>(
  open: OpenNotebook<S>,
  operation: Extract<Operation, { at: number }>,
  answers: [string, string][]
): Promise<void> {
  const { content } = open.panel;
  const count = content.widgets.length;
  const index = operation.at % count;
  const to = 'to' in operation ? operation.to : 0;
  const last = Math.min(count - 1, index + to);
  switch (operation.do) {
    case 'type':
      open.type(index, operation.text);
      break;
    case 'run':
      await open.run(index, last);
      break;
    case 'move':
      open.select(index);
      NotebookActions[operation.down ? 'moveDown' : 'moveUp'](content);
      break;
    case 'split':
      open.cursor(index, cursorPosition(open.sources[index], operation.offset));
      NotebookActions.splitCell(content);
      break;
    case 'retype':
      open.select(index);
      NotebookActions.changeCellType(content, operation.kind);
      break;
    case 'generate': {
      const id = open.ids[index];
      const { decision } = await open.ask(index, operation.text);
      answers.push([id, operation.text]);
      await (operation.accept ? decision.accept() : decision.reject());
      break;
    }
    default:
      open.select(index, last);
      ACTIONS[operation.do](content);
  }
}

/** Return the nearest valid position: not after the end, and not within a surrogate pair. */
function cursorPosition(text: string, offset: number): number {
  const at = Math.min(offset, text.length);
  return /[\uD800-\uDBFF]$/.test(text.slice(0, at)) ? at - 1 : at;
}
