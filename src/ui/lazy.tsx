/**
 * Loads parts of the page when they are first used. If the server can't be reached or was updated,
 * the person reads why, and can try again.
 */
import { Notification } from '@jupyterlab/apputils';
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import { Button } from './button';

/** After a failure, a notification offers to try again. Never rejects. */
export function loadPart<T>(
  load: () => Promise<T>,
  trans: TranslationBundle
): Promise<T> {
  return load().catch(
    () =>
      new Promise(resolve => {
        const callback = () => resolve(loadPart(load, trans));
        Notification.error(failureText(trans), {
          autoClose: false,
          actions: [{ label: trans.__('Try again'), callback }]
        });
      })
  );
}

interface ILazyViewProps<P> {
  props: P;
  trans: TranslationBundle;
  /** Called when the view has first been rendered. */
  onLoad?: () => void;
}

/** Return a component that renders nothing until its view is loaded, or why it can't be. */
export function lazyView<P extends object>(
  load: () => Promise<React.ComponentType<P>>
): React.ComponentType<ILazyViewProps<P>> {
  let loadedView: React.ComponentType<P> | null = null;
  return function LazyView({ props, trans, onLoad }) {
    const [View, setView] = React.useState(() => loadedView);
    const [hasFailed, setHasFailed] = React.useState(false);
    const start = () => {
      setHasFailed(false);
      load().then(
        view => {
          loadedView = view;
          setView(() => view);
        },
        () => setHasFailed(true)
      );
    };
    React.useEffect(() => {
      if (View) {
        onLoad?.();
      } else {
        start();
      }
      // eslint-disable-next-line react-hooks/exhaustive-deps -- only `View` changes what is shown
    }, [View]);
    if (View) {
      return <View {...props} />;
    }
    return hasFailed ? (
      <div role="alert" className="jp-AIServer-LoadFailure">
        <p>{failureText(trans)}</p>
        <Button label={trans.__('Try again')} run={start} />
      </div>
    ) : null;
  };
}

function failureText(trans: TranslationBundle): string {
  return trans.__(
    'A part of AI Server could not be loaded. Check that the server is running, and try again. If AI Server was updated, reload the page.'
  );
}
