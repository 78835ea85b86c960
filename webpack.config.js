/**
 * The guided notebook and its data are built into the frontend, so that a person gets them
 * wherever Jupyter runs, by the contents API alone.
 */
module.exports = {
  module: {
    rules: [
      { test: /\.ipynb$/, type: 'json' },
      { test: /\.csv$/, type: 'asset/source' }
    ]
  }
};
