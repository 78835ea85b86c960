import * as React from 'react';

import { PackageHint, useServices } from '../parts';
import { LocalModelRow } from './localModelRow';

export function LocalModels(): React.JSX.Element {
  const { choice, trans } = useServices();
  const { list, localModels } = choice;
  if (!localModels.length) {
    return (
      <p>
        {trans.__(
          'The administrator of this server does not allow local models. To use a model, connect a provider.'
        )}
      </p>
    );
  }
  const hasPackage = list?.local?.package !== false;
  return (
    <div className="jp-AIServer-LocalModels">
      <p>
        {trans.__(
          'Local models run on the Jupyter server’s machine. They work offline and send no data anywhere. Larger ones answer better, but need more memory and time.'
        )}
      </p>
      {!hasPackage && (
        <PackageHint
          text={trans.__(
            'Local models need one more Python package. Run the command below in Jupyter’s Python environment, then select Refresh.'
          )}
          command={list?.local?.install}
        />
      )}
      <ul aria-label={trans.__('Local models')}>
        {localModels.map(entry => (
          <LocalModelRow
            key={entry.id}
            entry={entry}
            canInstall={hasPackage && !choice.install.isRunning}
          />
        ))}
      </ul>
      {localModels.length > 1 && (
        <p className="jp-AIServer-Models-hint">
          {trans.__(
            'Models are installed one at a time. A download that was stopped continues where it stopped.'
          )}
        </p>
      )}
    </div>
  );
}
