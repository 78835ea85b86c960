/**
 * Small components and hooks that several views of the models share: the offer in the prompt row,
 * the form for a provider, and the settings.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IFailure, toFailure } from '../../state/failure';
import type { ModelChoice } from '../model/modelChoice';
import { Button, Command } from '../../ui/button';
import { failureText } from '../../labels/failureText';

/** The services that all views of the models use. */
export interface IModelServices {
  choice: ModelChoice;
  trans: TranslationBundle;
  /** Open the form for connecting a provider. */
  connect: () => void;
}

/** Fetch the list of models, and render again whenever the list or the installation changes. */
export function useModelChoice(choice: ModelChoice): void {
  const [, render] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    choice.changed.connect(render);
    void choice.refresh();
    render(); // The list may have changed since the last rendering, before `connect`.
    return () => void choice.changed.disconnect(render);
  }, [choice]);
}

/** The text of a failure, followed by the command that fixes it if there is such a command. */
export function Problem(props: {
  failure: IFailure | null;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { failure, trans } = props;
  return failure ? (
    <>
      <p role="alert" className="jp-AIServer-Models-problem">
        {failureText(failure, trans)}
      </p>
      {failure.install && <Command command={failure.install} trans={trans} />}
    </>
  ) : null;
}

/** A status that is shown until the list of models is loaded, or the failure to load the list. */
export function LoadingModels(props: {
  services: IModelServices;
}): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  return choice.problem ? (
    <>
      <Problem failure={choice.problem} trans={trans} />
      <Button label={trans.__('Refresh')} run={() => void choice.refresh()} />
    </>
  ) : (
    <p role="status">{trans.__('Looking for models…')}</p>
  );
}

/**
 * Return `act`, which runs an action that can fail. `busy` is true while an action is running, and
 * `failure` is the failure of the last action; null if it succeeded.
 */
export function useAction(): {
  busy: boolean;
  failure: IFailure | null;
  act: (action: () => Promise<void>) => Promise<void>;
} {
  const [busy, setBusy] = React.useState(false);
  const [failure, setFailure] = React.useState<IFailure | null>(null);
  const act = React.useCallback(async (action: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (reason) {
      setFailure(toFailure(reason));
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, failure, act };
}
