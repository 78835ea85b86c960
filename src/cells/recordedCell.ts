/** Makes cells of what the history has of them, of an output the beginning of its text, and images. */
import type { ICell, IOutput } from '@jupyterlab/nbformat';

import type { CellSnapshot } from '../api/types';
import { sourceAfter } from '../records/fold';
import { outputOf } from '../records/runs';
import type { HistoryReader, ICellKey } from '../tokens';
import { toCellType } from './context';

/**
 * Return a cell of a snapshot in the notebook format. A code cell has the outputs of its last run, if
 * that ran this source.
 *
 * @param lastStep - The index of the last step that counts. By default, all do.
 */
export async function recordedCell(
  api: Pick<HistoryReader, 'replay' | 'blob'>,
  notebookId: string,
  { cellId, type, source }: CellSnapshot,
  lastStep = Infinity
): Promise<ICell> {
  const cell = { id: cellId, cell_type: toCellType(type), source };
  if (type !== 'code') {
    return { ...cell, metadata: {} };
  }
  const key = { notebookId, cellId };
  const outputs = await recordedOutputs(api, key, source, lastStep);
  // JupyterLab trusts new cells. The recorded outputs are only texts and images.
  return {
    ...cell,
    metadata: { trusted: true },
    execution_count: null,
    outputs
  };
}

async function recordedOutputs(
  api: Pick<HistoryReader, 'replay' | 'blob'>,
  key: ICellKey,
  source: string,
  lastStep: number
): Promise<IOutput[]> {
  const { steps } = await api.replay(key).catch(() => ({ steps: [] }));
  const run = steps
    .filter(({ kind, index }) => kind === 'run' && index <= lastStep)
    .at(-1);
  const output = run && sourceAfter(run) === source ? outputOf(run) : null;
  if (!output) {
    return [];
  }
  const text = `${output.text}${output.truncated ? '\n…' : ''}`;
  const images = await Promise.all(
    output.images.map(({ sha256 }) => api.blob(sha256).then(toOutput, () => []))
  );
  return [
    ...(text ? [{ output_type: 'stream', name: 'stdout', text }] : []),
    ...images.flat()
  ];
}

function toOutput(image: Blob): Promise<IOutput[]> {
  return new Promise(resolve => {
    const reader = new FileReader();
    reader.onload = () => {
      const [, base64] = String(reader.result).split(';base64,');
      const data = { [image.type]: base64 };
      resolve([{ output_type: 'display_data', data, metadata: {} }]);
    };
    reader.onerror = () => resolve([]);
    reader.readAsDataURL(image);
  });
}
