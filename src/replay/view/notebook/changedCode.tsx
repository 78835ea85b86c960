/** Code with marks on the lines that a moment changed, styled like the cell's diff. */
import React from 'react';

import { IChangedLine, IRange } from '../../../diff/changedLines';
import { useReplay } from '../context';
import { highlight, withoutHidden } from '../staticCode';

/** A piece of text with one highlighting style. */
interface ICodePiece {
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
  const highlighted = {
    removed: useHighlighted(before, mimeType),
    added: useHighlighted(code, mimeType)
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
        const of = kind === 'removed' ? highlighted.removed : highlighted.added;
        return (
          <Line
            key={at}
            className={`jp-AIServer-Replay-changed jp-mod-${kind}`}
          >
            {pieces(line).map(({ from, to, isWord }) => {
              const Piece = isWord ? 'b' : React.Fragment;
              return (
                <Piece key={from}>
                  {slice(of, from, to).map(({ text, className }, n) => (
                    <span key={n} className={className}>
                      {text}
                    </span>
                  ))}
                </Piece>
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

function slice(
  all: readonly ICodePiece[],
  from: number,
  to: number
): ICodePiece[] {
  const pieces: ICodePiece[] = [];
  let at = 0;
  for (const { text, className } of all) {
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
function useHighlighted(code: string, mimeType: string): readonly ICodePiece[] {
  const { languages } = useReplay();
  const text = withoutHidden(code);
  const [pieces, setPieces] = React.useState<readonly ICodePiece[]>([]);
  React.useEffect(() => {
    let isCurrent = true;
    void highlight(languages, text, mimeType).then(nodes => {
      if (isCurrent && nodes) {
        const pieces = nodes.map(node => ({
          text: node.textContent ?? '',
          className: node instanceof HTMLElement ? node.className : ''
        }));
        setPieces(pieces);
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [text, mimeType, languages]);
  const isOfText = pieces.map(piece => piece.text).join('') === text;
  return isOfText ? pieces : [{ text, className: '' }];
}
