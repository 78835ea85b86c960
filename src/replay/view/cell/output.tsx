/**
 * What running a version showed: the beginning of its text, its pictures in small.
 *
 * What must hold (P11, P12): text is text; a picture is drawn from the bytes that this server
 * kept of it, and from nowhere else.
 */
import React from 'react';

import type { Step } from '../../../api/types';
import { IOutputImage, outputOf } from '../../model/cell/runs';
import { useReplay } from '../context';

export type FetchPicture = (
  sha256: string,
  signal?: AbortSignal
) => Promise<Blob>;

export const Output = React.memo(function Output(props: {
  run: Step;
  picture: FetchPicture;
}): React.JSX.Element | null {
  const { run, picture } = props;
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
          picture={picture}
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

/** Its room is kept from the start, so that nothing jumps when it comes. */
function Thumbnail(props: {
  image: IOutputImage;
  picture: FetchPicture;
  label: string;
}): React.JSX.Element {
  const { image, picture, label } = props;
  const { trans } = useReplay();
  const [url, setUrl] = React.useState<string | null>(null);
  const [isGone, setGone] = React.useState(false);
  const { sha256 } = image;
  React.useEffect(() => {
    const abort = new AbortController();
    let made: string | null = null;
    picture(sha256, abort.signal)
      .then(blob => {
        if (!abort.signal.aborted) {
          made = URL.createObjectURL(blob);
          setUrl(made);
        }
      })
      .catch(() => {
        if (!abort.signal.aborted) {
          setGone(true);
        }
      });
    return () => {
      abort.abort();
      if (made) {
        URL.revokeObjectURL(made);
      }
      setUrl(null);
      setGone(false);
    };
  }, [sha256, picture]);
  const { width, height } = image;
  return (
    <span
      className="jp-AIServer-Replay-picture"
      style={{ aspectRatio: `${width} / ${height}`, maxWidth: width }}
    >
      {url && <img src={url} alt={label} width={width} height={height} />}
      {isGone && <span>{trans.__('This image is no longer available.')}</span>}
    </span>
  );
}
