/** Makes outputs of a cell from what the history has of them: the beginning of a text, and images. */
import type { IOutput } from '@jupyterlab/nbformat';

import type { HistoryReader, ICellKey } from '../tokens';
import { sourceAfter } from './fold';
import { outputOf } from './runs';

/**
 * Return the outputs of a cell's last run, if it ran this source; else none.
 *
 * @param lastStep - The index of the last step that counts. By default, all do.
 */
export async function recordedOutputs(
  api: Pick<HistoryReader, 'replay' | 'blob'>,
  key: ICellKey,
  source: string,
  lastStep = Infinity
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
      const [, type, base64] = /^data:([^;]*);base64,(.*)$/.exec(
        String(reader.result)
      ) ?? ['', '', ''];
      const data = { [type]: base64 };
      resolve(
        type ? [{ output_type: 'display_data', data, metadata: {} }] : []
      );
    };
    reader.onerror = () => resolve([]);
    reader.readAsDataURL(image);
  });
}
