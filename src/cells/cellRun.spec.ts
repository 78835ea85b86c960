import type { ISessionContext } from '@jupyterlab/apputils';
import type { KernelMessage } from '@jupyterlab/services';
import { PromiseDelegate } from '@lumino/coreutils';
import { Signal } from '@lumino/signaling';

import { CellRun } from './cellRun';

/** A run whose kernel messages and end come from the test. */
class ScriptedRun {
  readonly iopubMessage = new Signal<this, KernelMessage.IMessage>(this);
  readonly end = new PromiseDelegate<boolean>();
  readonly starts: boolean[] = [];
  readonly run = new CellRun(
    this as unknown as ISessionContext,
    () => 'ours',
    () => this.end.promise
  );

  constructor() {
    void this.run.hasStarted.then(hasStarted => this.starts.push(hasStarted));
  }

  async report(type: string, requestId?: string): Promise<void> {
    const parent = requestId === undefined ? {} : { msg_id: requestId };
    this.iopubMessage.emit({
      header: { msg_type: type },
      parent_header: parent
    } as KernelMessage.IMessage);
    await Promise.resolve();
  }
}

describe('CellRun', () => {
  it('has started when the kernel reports the start of its own request', async () => {
    const scripted = new ScriptedRun();
    await scripted.report('status', 'ours');
    await scripted.report('execute_input', 'another');
    await scripted.report('execute_input');
    expect(scripted.starts).toEqual([]);
    await scripted.report('execute_input', 'ours');
    expect(scripted.starts).toEqual([true]);
  });

  it('has not started if it ends before', async () => {
    const scripted = new ScriptedRun();
    scripted.end.resolve(false);
    expect(await scripted.run.result).toBe(false);
    expect(await scripted.run.hasStarted).toBe(false);
  });

  it('has not started if it could not run', async () => {
    const scripted = new ScriptedRun();
    scripted.end.reject(new Error('No kernel'));
    await expect(scripted.run.result).rejects.toThrow('No kernel');
    expect(await scripted.run.hasStarted).toBe(false);
  });
});
