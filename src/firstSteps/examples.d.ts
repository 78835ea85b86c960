/** What `webpack.config.js` makes of the files in `examples/`. */
declare module '*.ipynb' {
  import type { INotebookContent } from '@jupyterlab/nbformat';

  const notebook: INotebookContent;
  export default notebook;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
