/**
 * One run of a cell, which can be interrupted from the moment it is requested.
 *
 * A kernel ignores an interrupt that arrives before it starts the cell's code, and while it still
 * runs another cell, the interrupt would stop that one. So `CellRun` waits for the `execute_input`
 * of this cell.
 */
import type { ISessionContext } from '@jupyterlab/apputils';
import { Cell, CodeCell } from '@jupyterlab/cells';
import type { KernelMessage } from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';

export class CellRun {
  /**
   * @param requestId Returns the id of the cell's last execution request; undefined if there is none
   * @param execute Runs the cell, and resolves with whether it ran without an error
   */
  constructor(
    session: Pick<ISessionContext, 'iopubMessage'>,
    requestId: () => string | undefined,
    execute: () => Promise<boolean>
  ) {
    const noticeStart = (_: unknown, message: KernelMessage.IMessage) => {
      const { header, parent_header: parent } = message;
      if (
        header.msg_type === 'execute_input' &&
        'msg_id' in parent &&
        parent.msg_id === requestId()
      ) {
        this._hasStarted.resolve(true);
      }
    };
    session.iopubMessage.connect(noticeStart);
    this.result = execute().finally(() => {
      session.iopubMessage.disconnect(noticeStart);
      this._hasStarted.resolve(false);
    });
  }

  /** Whether the cell ran without an error; rejects if it could not run. */
  readonly result: Promise<boolean>;

  /** Whether the kernel has started the cell's code; false if the run ended before that. */
  get hasStarted(): Promise<boolean> {
    return this._hasStarted.promise;
  }

  private readonly _hasStarted = new PromiseDelegate<boolean>();
}

/** Return the id of the cell's last execution request; undefined if it has not run. */
export function executionRequestId(cell: Cell): string | undefined {
  return cell instanceof CodeCell
    ? cell.outputArea.future?.msg.header.msg_id
    : undefined;
}
