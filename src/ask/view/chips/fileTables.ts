/** Reads the tables of mentioned data files from the server, for the suggested requests. */
import * as React from 'react';

import type { DataFile } from '../../../api/types';
import type { ITable } from '../../../prompt/columnKinds';
import type { IPromptRowServices } from '../promptServices';

/** The most files in a request: the limit of the HTTP API. */
const MAX_FILES = 5;

/**
 * Return the tables of data files; empty until the server has replied, or if it can't be reached.
 * The names are relative to the notebook's folder.
 */
export function useFileTables(
  describeFiles: IPromptRowServices['describeFiles'],
  names: readonly string[]
): ITable[] {
  const [tables, setTables] = React.useState<ITable[]>([]);
  const list = JSON.stringify(names.slice(0, MAX_FILES));
  React.useEffect(() => {
    const names = JSON.parse(list) as string[];
    setTables([]);
    if (!names.length) {
      return;
    }
    let isCurrent = true;
    describeFiles(names).then(
      files => isCurrent && setTables(files.flatMap(tablesOf)),
      () => undefined
    );
    return () => void (isCurrent = false);
  }, [describeFiles, list]);
  return tables;
}

/** Return the tables of a file. That of a file which isn't a database has the name of the file. */
function tablesOf({ name, tables }: DataFile): ITable[] {
  const stem = name.replace(/^.*\//, '').replace(/\.[^.]*$/, '');
  return tables.map(table => ({ ...table, name: table.name || stem }));
}
