/** The types of imported files from `examples/`. `webpack.config.js` makes these imports work. */
declare module '*.ipynb' {
  import type { INotebookContent } from '@jupyterlab/nbformat';

  const notebook: INotebookContent;
  export default notebook;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
