/** The types of the files in `examples/`. `webpack.config.js` makes it possible to import them. */
declare module '*.ipynb' {
  import type { INotebookContent } from '@jupyterlab/nbformat';

  const notebook: INotebookContent;
  export default notebook;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
