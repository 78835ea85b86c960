/** Lists the files near the notebook, for completion. */
import * as React from 'react';

/** Return the names in a folder below the notebook's; the names of folders end with a slash. */
export type ListFiles = (folder: string) => Promise<readonly string[]>;

/**
 * Return a function that lists a folder as far as its names have arrived. A folder is read when it
 * is first listed; the component is drawn again when its names arrive. Folders that can't be read
 * count as empty.
 */
export function useFolderListing(
  listFiles: ListFiles
): (folder: string) => readonly string[] {
  const [folders, setFolders] = React.useState<
    ReadonlyMap<string, readonly string[]>
  >(new Map());
  const requested = React.useRef(new Set<string>());
  return folder => {
    if (!requested.current.has(folder)) {
      requested.current.add(folder);
      listFiles(folder).then(
        names => setFolders(others => new Map(others).set(folder, names)),
        () => undefined
      );
    }
    return folders.get(folder) ?? [];
  };
}
