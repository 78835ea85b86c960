/** The list of what is sent to a remote model. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

export function SentData(props: {
  destination: string;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { destination, trans } = props;
  return (
    <div className="jp-AIServer-Models-sentData">
      <p>{trans.__('Each request is sent to %1, with:', destination)}</p>
      <ul>
        <li>{trans.__('the code of this cell and of the cells above it')}</li>
        <li>{trans.__('this cell’s earlier requests and answers')}</li>
        <li>{trans.__('the names and types of your variables and columns')}</li>
      </ul>
      <details>
        <summary>{trans.__('Details')}</summary>
        <p>
          {trans.__(
            'Columns are those of the DataFrames shown and of data files that you name. Rules files that you use and what you mention by @ are sent, too.'
          )}
        </p>
        <p>
          {trans.__(
            'Outputs, values of variables, texts of files, and statistics and rows of DataFrames are sent only if you select them.'
          )}
        </p>
      </details>
    </div>
  );
}
