import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IFailure, toFailure } from '../../state/failure';
import type { ModelChoice } from '../model/modelChoice';
import { Button, Command } from '../../ui/button';
import { failureText } from '../../labels/failureText';

export interface IModelServices {
  choice: ModelChoice;
  trans: TranslationBundle;
  connect: () => void;
  /** Resolves when the dialog is closed. */
  openLocalModels: () => Promise<void>;
}

const Services = React.createContext<IModelServices | null>(null);

export function useServices(): IModelServices {
  return React.useContext(Services)!;
}

/**
 * Fetch the list of models, and draw the children whenever it or the installation changes. If they
 * need a list, draw a note until there is one.
 */
export function ModelViews(props: {
  services: IModelServices;
  needsList?: boolean;
  children: React.ReactNode;
}): React.JSX.Element {
  const { services, needsList = true, children } = props;
  const { choice } = services;
  const [, render] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    choice.changed.connect(render);
    void choice.refresh();
    render(); // The list may have changed between the last rendering and `connect`.
    return () => void choice.changed.disconnect(render);
  }, [choice]);
  // With a new value, React also draws the children again, which are the same elements.
  return (
    <Services.Provider value={{ ...services }}>
      {choice.list || !needsList ? children : <LoadingModels />}
    </Services.Provider>
  );
}

export function Problem(props: {
  failure: IFailure | null;
}): React.JSX.Element | null {
  const { failure } = props;
  const { trans } = useServices();
  return failure ? (
    <>
      <p role="alert" className="jp-AIServer-Models-problem">
        {failureText(failure, trans)}
      </p>
      {failure.install && <Command command={failure.install} trans={trans} />}
    </>
  ) : null;
}

export function PackageHint(props: {
  text: string;
  command: string | null | undefined;
}): React.JSX.Element {
  const { text, command } = props;
  const { choice, trans } = useServices();
  return (
    <div className="jp-AIServer-Models-hint">
      <p>{text}</p>
      {command && <Command command={command} trans={trans} />}
      <div className="jp-AIServer-Models-buttons">
        <Button label={trans.__('Refresh')} run={() => void choice.refresh()} />
      </div>
    </div>
  );
}

function LoadingModels(): React.JSX.Element {
  const { choice, trans } = useServices();
  return choice.problem ? (
    <>
      <Problem failure={choice.problem} />
      <Button label={trans.__('Refresh')} run={() => void choice.refresh()} />
    </>
  ) : (
    <p role="status">{trans.__('Looking for models…')}</p>
  );
}

/** `act` runs one action at a time. */
export function useAction(): {
  isBusy: boolean;
  failure: IFailure | null;
  act: (action: () => Promise<void>) => Promise<void>;
} {
  const [isBusy, setBusy] = React.useState(false);
  const isRunning = React.useRef(false);
  const [failure, setFailure] = React.useState<IFailure | null>(null);
  const act = React.useCallback(async (action: () => Promise<void>) => {
    if (isRunning.current) {
      return;
    }
    isRunning.current = true;
    setBusy(true);
    setFailure(null);
    try {
      await action();
    } catch (reason) {
      setFailure(toFailure(reason));
    } finally {
      isRunning.current = false;
      setBusy(false);
    }
  }, []);
  return { isBusy, failure, act };
}
