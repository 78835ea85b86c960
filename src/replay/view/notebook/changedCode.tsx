/** Code with marks on the lines that a moment changed, styled like the cell's diff. */
import React from 'react';

import { IChangedLine, IRange } from '../../../diff/changedLines';
import { useReplay } from '../context';
import { withoutHidden } from '../staticCode';

/** A piece of text with one highlighting style. */
interface IRun {
  readonly text: string;
  readonly className: string;
}

const ELEMENTS = { same: 'span', removed: 'del', added: 'ins' } as const;

export function ChangedCode(props: {
  before: string;
  code: string;
  mimeType: string;
  lines: readonly IChangedLine[];
  /** For each line, whether it is drawn. */
  isShown: readonly boolean[];
}): React.JSX.Element {
  const { before, code, mimeType, lines, isShown } = props;
  const runs = {
    removed: useRuns(before, mimeType),
    added: useRuns(code, mimeType)
  };
  return (
    <code className="jp-AIServer-Replay-static jp-mod-marked">
      {lines.map((line, at) => {
        const { kind } = line;
        if (!isShown[at]) {
          // One ellipsis for each range of hidden lines.
          return at === 0 || isShown[at - 1] ? (
            <span key={at} className="jp-AIServer-Replay-gap">
              ⋯
            </span>
          ) : null;
        }
        const Line = ELEMENTS[kind];
        const of = kind === 'removed' ? runs.removed : runs.added;
        return (
          <Line
            key={at}
            className={`jp-AIServer-Replay-changed jp-mod-${kind}`}
          >
            {pieces(line).map(({ from, to, isWord }) => {
              const text = sliceRuns(of, from, to).map((run, n) => (
                <span key={n} className={run.className}>
                  {run.text}
                </span>
              ));
              return isWord ? (
                <b key={from}>{text}</b>
              ) : (
                <React.Fragment key={from}>{text}</React.Fragment>
              );
            })}
          </Line>
        );
      })}
    </code>
  );
}

/** Split a line into changed words and the text between them. */
function pieces(line: IChangedLine): (IRange & { isWord: boolean })[] {
  const all: (IRange & { isWord: boolean })[] = [];
  let done = line.from;
  for (const { from, to } of line.ranges) {
    all.push({ from: done, to: from, isWord: false });
    all.push({ from, to, isWord: true });
    done = to;
  }
  all.push({ from: done, to: line.to, isWord: false });
  return all.filter(({ from, to }) => to > from);
}

function sliceRuns(runs: readonly IRun[], from: number, to: number): IRun[] {
  const pieces: IRun[] = [];
  let at = 0;
  for (const { text, className } of runs) {
    const start = Math.max(from - at, 0);
    const end = Math.min(to - at, text.length);
    if (end > start) {
      pieces.push({ text: text.slice(start, end), className });
    }
    at += text.length;
    if (at >= to) {
      break;
    }
  }
  return pieces;
}

/** The code as highlighted pieces; one plain piece until highlighting is done. */
function useRuns(code: string, mimeType: string): readonly IRun[] {
  const { languages } = useReplay();
  const text = withoutHidden(code);
  const [coloured, setColoured] = React.useState<readonly IRun[]>([]);
  React.useEffect(() => {
    const language = languages?.findByMIME(mimeType) ?? null;
    let isCurrent = true;
    if (languages && language) {
      const host = document.createElement('span');
      languages
        .highlight(text, language, host)
        .then(() => {
          if (isCurrent) {
            setColoured(
              [...host.childNodes].map(node => ({
                text: node.textContent ?? '',
                className: node instanceof HTMLElement ? node.className : ''
              }))
            );
          }
        })
        .catch(() => {
          // The code stays without highlighting.
        });
    }
    return () => {
      isCurrent = false;
    };
  }, [text, mimeType, languages]);
  const isOfText = coloured.map(run => run.text).join('') === text;
  return isOfText ? coloured : [{ text, className: '' }];
}
