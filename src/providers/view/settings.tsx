/**
 * The settings of the models: the default model, called “active model” in the interface, the local
 * models and the providers.
 */
import * as React from 'react';

import { labelText } from '../../labels/serverText';
import {
  IModelServices,
  ModelViews,
  Problem,
  useAction,
  useServices
} from './parts';
import { confirmModel } from './confirmModel';
import { Providers } from './providers';
import { groupReadyModels } from './labels';
import { LocalModels } from './local/localModels';

export function ModelSettings(props: {
  services: IModelServices;
}): React.JSX.Element {
  const { services } = props;
  const { trans } = services;
  return (
    <div className="jp-AIServer-Models">
      <ModelViews services={services}>
        <h3>{trans.__('Active model')}</h3>
        <ActiveModel />
        <h3>{trans.__('On this computer')}</h3>
        <LocalModels />
        <h3>{trans.__('Providers')}</h3>
        <Providers />
      </ModelViews>
    </div>
  );
}

function ActiveModel(): React.JSX.Element {
  const { choice, trans } = useServices();
  const { failure, act } = useAction();
  const name = React.useId();
  const groups = groupReadyModels(choice.list, trans);
  if (!groups.length) {
    return (
      <p>{trans.__('No model yet. Install a model or connect a provider.')}</p>
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
      <Problem failure={failure} />
    </>
  );
}
