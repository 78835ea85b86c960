import type { Contents } from '@jupyterlab/services';

/**
 * Return the first of the paths `pathOf(1)`, `pathOf(2)`, … at which nothing exists.
 *
 * @throws The error of the contents manager.
 */
export async function findFreePath(
  contents: Pick<Contents.IManager, 'get'>,
  pathOf: (count: number) => string
): Promise<string> {
  for (let count = 1; ; count++) {
    const path = pathOf(count);
    try {
      await contents.get(path, { content: false }); // Fails if nothing exists there.
    } catch (reason) {
      const { response } = reason as { response?: Response };
      if (response?.status === 404) {
        return path;
      }
      throw reason;
    }
  }
}
