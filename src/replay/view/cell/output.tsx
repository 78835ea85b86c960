/**
 * The recorded output of a run. Invariants: its text is shown as plain text, never as HTML. Images
 * are loaded only from the blobs on the Jupyter server.
 */
import React from 'react';

import type { Step } from '../../../api/types';
import { IOutputImage, outputOf } from '../../../records/runs';
import { useReplay } from '../context';
import { useLoaded } from '../loaded';

export const Output = React.memo(function Output(props: {
  run: Step;
}): React.JSX.Element | null {
  const { run } = props;
  const { trans } = useReplay();
  const output = React.useMemo(() => outputOf(run), [run]);
  if (!output) {
    return null;
  }
  const { text, truncated, images } = output;
  return (
    <section
      className="jp-AIServer-Replay-output"
      aria-label={trans.__('Output of this version')}
    >
      <h3>{trans.__('Output')}</h3>
      {text && (
        <pre tabIndex={0} aria-label={trans.__('Output text')}>
          {text}
          {truncated && (
            <span className="jp-AIServer-Replay-more">
              {'\n'}
              {trans.__('… the rest was not saved')}
            </span>
          )}
        </pre>
      )}
      {images.map((image, index) => (
        <Thumbnail
          key={image.sha256}
          image={image}
          label={
            images.length > 1
              ? trans.__('Output image %1', index + 1)
              : trans.__('Output image')
          }
        />
      ))}
    </section>
  );
});

/** A thumbnail. Its space is reserved while it is loading, so that nothing moves afterwards. */
export function Thumbnail(props: {
  image: IOutputImage;
  label: string;
}): React.JSX.Element {
  const { image, label } = props;
  const { model, trans } = useReplay();
  const { api } = model.history;
  const { sha256 } = image;
  const load = React.useCallback(
    (signal: AbortSignal) => api.blob(sha256, signal),
    [api, sha256]
  );
  const { value: blob, failure } = useLoaded(load);
  const [url, setUrl] = React.useState<string | null>(null);
  React.useEffect(() => {
    if (!blob) {
      return;
    }
    const objectUrl = URL.createObjectURL(blob);
    setUrl(objectUrl);
    return () => {
      URL.revokeObjectURL(objectUrl);
      setUrl(null);
    };
  }, [blob]);
  const { width, height } = image;
  return (
    <span
      className="jp-AIServer-Replay-picture"
      style={{ aspectRatio: `${width} / ${height}`, maxWidth: width }}
    >
      {url && <img src={url} alt={label} width={width} height={height} />}
      {failure && <span>{trans.__('This image is no longer available.')}</span>}
    </span>
  );
}
