/** Small components and hooks that the offer, the form and the settings share. */
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

/** Fetch the models, and render again whenever they or the installation change. */
export function useModelChoice(choice: ModelChoice): void {
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    choice.changed.connect(redraw);
    void choice.refresh();
    redraw(); // For changes between the render and this effect.
    return () => void choice.changed.disconnect(redraw);
  }, [choice]);
}

/** A failure, with the command that fixes it if there is one. */
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

/** Shown until the list of models is loaded. */
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

/** Run an action that can fail: `busy` while it runs, and its `failure` afterwards. */
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
