/** The types of the files in `examples/` that can be imported, due to `webpack.config.js`. */
declare module '*.ipynb' {
  import type { INotebookContent } from '@jupyterlab/nbformat';

  const notebook: INotebookContent;
  export default notebook;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
