/** Types for importing files of `examples/`, which `webpack.config.js` turns into modules. */
declare module '*.ipynb' {
  import type { INotebookContent } from '@jupyterlab/nbformat';

  const notebook: INotebookContent;
  export default notebook;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
