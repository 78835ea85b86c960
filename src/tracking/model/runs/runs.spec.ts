import {
  KernelError,
  NotebookActions,
  NotebookPanel
} from '@jupyterlab/notebook';
import { Signal } from '@lumino/signaling';

import { IRun, Runs } from './runs';

function createRuns() {
  const cellOf = (id: string) => ({
    model: {
      ...{ id, type: 'code', executionCount: null, outputs: { length: 0 } },
      sharedModel: { getSource: () => `# ${id}`, source: `# ${id}` }
    }
  });
  const cells = ['a', 'b', 'c'].map(cellOf);
  const sessionContext: { statusChanged?: Signal<object, string> } = {};
  const statusChanged = new Signal<object, string>(sessionContext);
  sessionContext.statusChanged = statusChanged;
  const content = { widgets: cells };
  const panel = { content, sessionContext } as unknown as NotebookPanel;
  const ended: IRun[] = [];
  const runs = new Runs({
    panel,
    onScheduled: () => undefined,
    onEnded: run => ended.push(run)
  });
  const emit = (signal: unknown, args: object) =>
    (signal as Signal<unknown, object>).emit({ notebook: content, ...args });
  const schedule = (...indexes: number[]) =>
    indexes.forEach(index =>
      emit(NotebookActions.executionScheduled, { cell: cells[index] })
    );
  const end = (index: number, error?: object) =>
    emit(NotebookActions.executed, {
      ...{ cell: cells[index], success: !error, error }
    });
  return { runs, ended, schedule, end, statusChanged };
}

describe('Runs', () => {
  it('reports no run of a cell that was skipped, because an earlier one failed', () => {
    const { runs, ended, schedule, end } = createRuns();
    schedule(0, 1, 2);
    const failed = { status: 'error', ename: 'KeyError', evalue: 'x' };
    end(0, new KernelError({ ...failed, traceback: [] } as never));
    end(1, new KernelError({ status: 'aborted' } as never));
    end(2, new KernelError({ status: 'aborted' } as never));
    expect(ended.map(({ cellId, data }) => [cellId, data.status])).toEqual([
      ['a', 'error']
    ]);
    schedule(1);
    end(1);
    expect(ended.map(({ cellId }) => cellId)).toEqual(['a', 'b']);
    runs.dispose();
  });

  it('reports only the run that had begun when the kernel stopped', () => {
    const { runs, ended, schedule, statusChanged } = createRuns();
    schedule(2, 0, 1);
    statusChanged.emit('restarting');
    expect(ended.map(({ cellId, data }) => [cellId, data.status])).toEqual([
      ['c', 'aborted']
    ]);
    runs.dispose();
  });
});
