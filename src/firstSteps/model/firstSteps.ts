/**
 * Writes a new copy of the first-steps notebook, a tutorial, into the person's folder.
 *
 * Invariants: existing files are never overwritten. Each copy of the notebook, with the data that
 * it reads, is in a folder of its own.
 */
import type { Contents } from '@jupyterlab/services';

/** The required methods of JupyterLab's contents manager. */
export type FolderApi = Pick<Contents.IManager, 'get' | 'save'>;

const MAX_COPIES = 100;

/** Write the files into a new folder and return its path. */
export async function writeFirstSteps(
  contents: FolderApi,
  folder: string,
  files: Record<string, { notebook: unknown } | { text: string }>
): Promise<string> {
  const path = await freePath(contents, folder);
  await contents.save(path, { type: 'directory' });
  for (const [name, file] of Object.entries(files)) {
    await contents.save(
      `${path}/${name}`,
      'text' in file
        ? { type: 'file', format: 'text', content: file.text }
        : { type: 'notebook', format: 'json', content: file.notebook }
    );
  }
  return path;
}

async function freePath(contents: FolderApi, name: string): Promise<string> {
  for (let count = 1; count <= MAX_COPIES; count++) {
    const path = count === 1 ? name : `${name}-${count}`;
    try {
      await contents.get(path, { content: false });
    } catch (reason) {
      const { response } = reason as { response?: Response };
      if (response?.status === 404) {
        return path;
      }
      throw reason;
    }
  }
  throw new Error(`There are already ${MAX_COPIES} copies.`);
}
