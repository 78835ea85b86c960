/** Shows the code of a cell, and marks the lines that a moment changed, as in a diff. */
import React from 'react';

import type { IChangedLine } from '../../../diff/changedLines';
import type { IRange } from '../../../diff/lineDiff';
import { IStyledText, renderTexts, useHighlighting } from '../staticCode';

const ELEMENTS = { same: 'span', removed: 'del', added: 'ins' } as const;

export function ChangedCode(props: {
  before: string;
  code: string;
  mimeType: string;
  /** The result of `changedLines(before, code)`. */
  lines: readonly IChangedLine[];
  /** For each line in `lines`: whether it is drawn. */
  lineVisibility: readonly boolean[];
}): React.JSX.Element {
  const { before, code, mimeType, lines, lineVisibility } = props;
  const highlighted = {
    before: useHighlighting(before, mimeType),
    code: useHighlighting(code, mimeType)
  };
  return (
    <code className="jp-AIServer-Replay-static jp-mod-marked">
      {lines.map((line, index) => {
        const { kind } = line;
        if (!lineVisibility[index]) {
          // Draw one ellipsis for each series of hidden lines.
          return index === 0 || lineVisibility[index - 1] ? (
            <span key={index} className="jp-AIServer-Replay-gap">
              ⋯
            </span>
          ) : null;
        }
        const Line = ELEMENTS[kind];
        const styledTexts =
          kind === 'removed' ? highlighted.before : highlighted.code;
        return (
          <Line
            key={index}
            className={`jp-AIServer-Replay-changed jp-mod-${kind}`}
          >
            {splitAtWords(line).map(({ from, to, isChangedWord }) => {
              const Wrapper = isChangedWord ? 'b' : React.Fragment;
              return (
                <Wrapper key={from}>
                  {renderTexts(sliceStyledTexts(styledTexts, from, to))}
                </Wrapper>
              );
            })}
          </Line>
        );
      })}
    </code>
  );
}

/** Split a line into the ranges of its changed words and the ranges between them. */
function splitAtWords(
  line: IChangedLine
): (IRange & { isChangedWord: boolean })[] {
  const ranges: (IRange & { isChangedWord: boolean })[] = [];
  let end = line.from;
  for (const { from, to } of line.ranges) {
    ranges.push({ from: end, to: from, isChangedWord: false });
    ranges.push({ from, to, isChangedWord: true });
    end = to;
  }
  ranges.push({ from: end, to: line.to, isChangedWord: false });
  return ranges.filter(({ from, to }) => to > from);
}

function sliceStyledTexts(
  styledTexts: readonly IStyledText[],
  from: number,
  to: number
): IStyledText[] {
  const slices: IStyledText[] = [];
  // The offset of `text` in the code.
  let offset = 0;
  for (const { text, className } of styledTexts) {
    const start = Math.max(from - offset, 0);
    const end = Math.min(to - offset, text.length);
    if (end > start) {
      slices.push({ text: text.slice(start, end), className });
    }
    offset += text.length;
    if (offset >= to) {
      break;
    }
  }
  return slices;
}
