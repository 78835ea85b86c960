/** The settings of the models: the default model (“active”), the local model and the providers. */
import * as React from 'react';

import type { ModelInfo } from '../../api/types';
import { InstallBar, InstallNote } from './install';
import { Button, Command } from '../../ui/button';
import { labelText } from '../../labels/serverText';
import {
  IModelServices,
  LoadingModels,
  Problem,
  useAction,
  useModelChoice
} from './parts';
import { Providers } from './providers';
import { installText, readyModels } from './labels';

export interface ISettingsProps {
  services: IModelServices;
  /** Ask the person to confirm a remote model. For a local model, resolves to true at once. */
  confirm: (model: ModelInfo) => Promise<boolean>;
}

export function ModelSettings(props: ISettingsProps): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  useModelChoice(choice);
  if (!choice.list) {
    return (
      <div className="jp-AIServer-Models">
        <LoadingModels services={services} />
      </div>
    );
  }
  return (
    <div className="jp-AIServer-Models">
      <h3>{trans.__('Active model')}</h3>
      <ActiveModel {...props} />
      <h3>{trans.__('On this machine')}</h3>
      <LocalModelSection services={services} />
      <h3>{trans.__('Providers')}</h3>
      <Providers services={services} />
    </div>
  );
}

/** Radio buttons for the ready models, of which the default model is checked. */
function ActiveModel(props: ISettingsProps): React.JSX.Element {
  const { services, confirm } = props;
  const { choice, trans } = services;
  const { failure, act } = useAction();
  const name = React.useId();
  const groups = readyModels(choice.list, trans);
  if (!groups.length) {
    return (
      <p>
        {trans.__(
          'No model yet. Install the local model or connect a provider.'
        )}
      </p>
    );
  }
  return (
    <>
      {groups.map(({ title, models }) => (
        <fieldset key={title} className="jp-AIServer-Models-group">
          <legend>{title}</legend>
          {models.map(model => (
            <label key={model.id}>
              <input
                type="radio"
                name={name}
                checked={model.id === choice.list?.default}
                onChange={() =>
                  void act(async () => {
                    if (await confirm(model)) {
                      await choice.choose(model.id);
                    }
                  })
                }
              />
              <span>{labelText(model.label, trans)}</span>
            </label>
          ))}
        </fieldset>
      ))}
      <Problem failure={failure} trans={trans} />
    </>
  );
}

/** The state of the local model, with the button that installs it. */
function LocalModelSection(props: {
  services: IModelServices;
}): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  const { install, list } = choice;
  const local = list?.local;
  if (!local) {
    return <></>;
  }
  if (!local.package) {
    return (
      <>
        <p>
          {trans.__(
            '%1 needs one more Python package. Run the command below in Jupyter’s Python environment, then select Refresh.',
            local.label
          )}
        </p>
        {local.install && <Command command={local.install} trans={trans} />}
      </>
    );
  }
  if (local.installed) {
    return (
      <p>
        {trans.__(
          '%1 is installed. It works offline and sends no data anywhere.',
          local.label
        )}
      </p>
    );
  }
  return install.isRunning ? (
    <InstallBar services={services} />
  ) : (
    <>
      <InstallNote services={services} />
      <p>
        {trans.__(
          '%1 works offline and sends no data anywhere. It is small, so it works best for short cells.',
          local.label
        )}
      </p>
      <div className="jp-AIServer-Models-ways">
        <Button
          label={installText(local, trans)}
          run={() => void install.start()}
        />
      </div>
    </>
  );
}
