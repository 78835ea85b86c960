/**
 * The settings of the models: the default model, the local model and the providers. The interface
 * calls the default model the “active model”.
 */
import * as React from 'react';

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
import { confirmModel } from './confirmModel';
import { Providers } from './providers';
import { installText, groupReadyModels } from './labels';

interface ISettingsProps {
  services: IModelServices;
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

/** A radio button for each model that is ready. The default model's button is checked. */
function ActiveModel(props: ISettingsProps): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  const { failure, act } = useAction();
  const name = React.useId();
  const groups = groupReadyModels(choice.list, trans);
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
                    if (await confirmModel(model, choice, trans)) {
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

/** Text about the local model, with a button or command to install it if it isn't installed. */
function LocalModelSection(props: ISettingsProps): React.JSX.Element {
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
      <div className="jp-AIServer-Models-buttons">
        <Button
          label={installText(local, trans)}
          run={() => void install.start()}
        />
      </div>
    </>
  );
}
