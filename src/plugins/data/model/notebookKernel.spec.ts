import type { NotebookPanel } from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import type { KernelEvent } from '../../../kernel/kernelEvents';
import {
  listData,
  listLazyColumns,
  profileColumns
} from '../../../kernel/profile';
import { R } from '../../../kernel/rCode';
import { NotebookKernel } from './notebookKernel';

jest.mock('../../../kernel/profile');

function setup() {
  const kernel = { name: 'python3', status: 'idle' };
  const session: { kernel: typeof kernel | null } = { kernel };
  const sessionContext = {
    session,
    statusChanged: new Signal<object, string>({}),
    kernelChanged: new Signal<object, void>({}),
    iopubMessage: new Signal<object, unknown>({}),
    specsManager: {
      specs: {
        kernelspecs: {
          python3: { language: 'python' },
          ir: { language: 'R' },
          julia: { language: 'julia' }
        }
      }
    }
  };
  const model = { getMetadata: () => ({ name: 'julia' }) };
  const panel = { sessionContext, context: { model } };
  const t = new NotebookKernel(panel as unknown as NotebookPanel);
  const events: KernelEvent[] = [];
  t.changed.connect((_, event) => events.push(event));
  return { ...sessionContext, events, kernel, session, t };
}

describe('NotebookKernel', () => {
  it('distinguishes the states of a kernel', () => {
    const { kernel, session, t } = setup();
    const stateOf = (change: Partial<typeof kernel>) => {
      Object.assign(kernel, change);
      return t.state;
    };
    // The language is that of the kernel, even if the notebook still has another one.
    expect(t.state).toBe('ready');
    expect(stateOf({ status: 'busy' })).toBe('ready');
    expect(stateOf({ status: 'restarting' })).toBe('starting');
    expect(stateOf({ status: 'dead' })).toBe('none');
    expect(stateOf({ status: 'idle', name: 'ir' })).toBe('ready');
    expect(stateOf({ name: 'julia' })).toBe('other');
    // A kernel without a specification has the notebook's language.
    expect(stateOf({ name: 'removed' })).toBe('other');
    session.kernel = null;
    expect(t.state).toBe('none');
  });

  it('reports runs, but not silent requests, and restarts', () => {
    const t = setup();
    t.statusChanged.emit('busy');
    t.iopubMessage.emit({ header: { msg_type: 'status' }, content: {} });
    const emitInput = (code: string) =>
      t.iopubMessage.emit({
        header: { msg_type: 'execute_input' },
        content: { code }
      });
    emitInput(R.replace('__CALL__', 'list_data(variables)')); // of R's kernel
    t.statusChanged.emit('idle');
    emitInput('# AI Server\ndf <- iris');
    t.statusChanged.emit('restarting');
    t.statusChanged.emit('unknown'); // The connection was lost for a moment.
    t.kernelChanged.emit();
    expect(t.events).toEqual(['idle', 'run', 'restart', 'restart']);
    t.t.dispose();
    t.statusChanged.emit('idle');
    expect(t.events).toHaveLength(4);
  });

  it('asks the current kernel, and fails without one', async () => {
    const { kernel, session, t } = setup();
    await t.list();
    expect(listData).toHaveBeenCalledWith(kernel, 'python');
    await t.profile('df', 3, 4);
    expect(profileColumns).toHaveBeenCalledWith(kernel, 'python', 'df', 3, 4);
    await t.lazyColumns('lf');
    expect(listLazyColumns).toHaveBeenCalledWith(kernel, 'python', 'lf');
    kernel.name = 'ir';
    await t.list();
    expect(listData).toHaveBeenLastCalledWith(kernel, 'r');
    session.kernel = null;
    await expect(t.list()).rejects.toThrow('ended');
  });
});
