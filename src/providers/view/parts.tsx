/**
 * The small parts that the offer, the form and the settings share: a button, a command to
 * copy, a redraw when the models change.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { IFailure, toFailure } from '../../state/failure';
import type { ModelChoice } from '../model/modelChoice';
import { Command } from '../../ui/command';
import { failureText } from '../../labels/failureText';

/** What all views of the models need. */
export interface IModelServices {
  choice: ModelChoice;
  trans: TranslationBundle;
  /** Put a text on the clipboard. */
  copy: (text: string) => void;
  /** Open the form in which a provider is connected. */
  connect: () => void;
}

/** Draw anew whenever the models or the installation change. */
export function useChoice(choice: ModelChoice): void {
  const [, redraw] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    choice.changed.connect(redraw);
    redraw(); // For what changed between the drawing and this.
    return () => void choice.changed.disconnect(redraw);
  }, [choice]);
}

/** A button in the manner of the prompt row. */
export function Button(props: {
  label: string;
  primary?: boolean;
  quiet?: boolean;
  disabled?: boolean;
  submit?: boolean;
  /** The id of the form that it submits, where it isn't inside it. */
  form?: string;
  run?: () => void;
}): React.JSX.Element {
  const { label, primary, quiet, disabled, submit, form, run } = props;
  return (
    <button
      type={submit ? 'submit' : 'button'}
      form={form}
      className={
        'jp-AIServer-Ask-button' +
        (primary ? ' jp-mod-primary' : '') +
        (quiet ? ' jp-mod-quiet' : '')
      }
      disabled={disabled}
      onClick={run}
    >
      {label}
    </button>
  );
}

/** Why something did not work, with the command that mends it where there is one. */
export function Problem(props: {
  failure: IFailure | null;
  services: Pick<IModelServices, 'trans' | 'copy'>;
}): React.JSX.Element | null {
  const { failure, services } = props;
  return failure ? (
    <>
      <p role="alert" className="jp-AIServer-Models-problem">
        {failureText(failure, services.trans)}
      </p>
      {failure.install && (
        <Command command={failure.install} services={services} />
      )}
    </>
  ) : null;
}

/** Shown until the server has told which models there are. */
export function Looking(props: {
  services: IModelServices;
}): React.JSX.Element {
  const { services } = props;
  const { choice, trans } = services;
  return choice.problem ? (
    <>
      <Problem failure={choice.problem} services={services} />
      <Button label={trans.__('Refresh')} run={() => void choice.refresh()} />
    </>
  ) : (
    <p role="status">{trans.__('Looking for models…')}</p>
  );
}

/** Run something that can fail; while it runs `busy`, afterwards `failure` says why it did. */
export function useAct(): {
  busy: boolean;
  failure: IFailure | null;
  act: (what: () => Promise<void>) => Promise<boolean>;
} {
  const [busy, setBusy] = React.useState(false);
  const [failure, setFailure] = React.useState<IFailure | null>(null);
  const act = React.useCallback(async (what: () => Promise<void>) => {
    setBusy(true);
    setFailure(null);
    try {
      await what();
      return true;
    } catch (reason) {
      setFailure(toFailure(reason));
      return false;
    } finally {
      setBusy(false);
    }
  }, []);
  return { busy, failure, act };
}
