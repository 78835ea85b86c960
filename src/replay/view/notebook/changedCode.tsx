/** Code with marks on the lines that a moment changed, styled like the cell's diff. */
import React from 'react';

import { IChangedLine, IRange } from '../../../diff/changedLines';
import { useReplay } from '../context';
import { highlight, revealHidden } from '../staticCode';

/** A range of code with one highlighting style. */
interface IStyledText {
  readonly text: string;
  readonly className: string;
}

/** The HTML element for each kind of line. */
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
    before: useHighlighting(before, mimeType),
    code: useHighlighting(code, mimeType)
  };
  return (
    <code className="jp-AIServer-Replay-static jp-mod-marked">
      {lines.map((line, index) => {
        const { kind } = line;
        if (!isShown[index]) {
          // Draw one ellipsis for each range of hidden lines.
          return index === 0 || isShown[index - 1] ? (
            <span key={index} className="jp-AIServer-Replay-gap">
              ⋯
            </span>
          ) : null;
        }
        const Line = ELEMENTS[kind];
        const source =
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
                  {sliceStyled(source, from, to).map(
                    ({ text, className }, sliceIndex) => (
                      <span key={sliceIndex} className={className}>
                        {text}
                      </span>
                    )
                  )}
                </Wrapper>
              );
            })}
          </Line>
        );
      })}
    </code>
  );
}

/** Split a line into its changed words and the ranges between them. */
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

/** Return the styled texts between two positions of the code that `styledTexts` consist of. */
function sliceStyled(
  styledTexts: readonly IStyledText[],
  from: number,
  to: number
): IStyledText[] {
  const slices: IStyledText[] = [];
  let position = 0;
  for (const { text, className } of styledTexts) {
    const start = Math.max(from - position, 0);
    const end = Math.min(to - position, text.length);
    if (end > start) {
      slices.push({ text: text.slice(start, end), className });
    }
    position += text.length;
    if (position >= to) {
      break;
    }
  }
  return slices;
}

/** Return the code as styled texts; as one text without a style until highlighting is done. */
function useHighlighting(
  code: string,
  mimeType: string
): readonly IStyledText[] {
  const { languages } = useReplay();
  const text = revealHidden(code);
  const [styledTexts, setStyledTexts] = React.useState<readonly IStyledText[]>(
    []
  );
  React.useEffect(() => {
    let isCurrent = true;
    void highlight(languages, text, mimeType).then(nodes => {
      if (isCurrent && nodes) {
        setStyledTexts(
          nodes.map(node => ({
            text: node.textContent ?? '',
            className: node instanceof HTMLElement ? node.className : ''
          }))
        );
      }
    });
    return () => {
      isCurrent = false;
    };
  }, [text, mimeType, languages]);
  // After a change of the code, the styled texts are those of the previous code for a while.
  const matchesText = styledTexts.map(styled => styled.text).join('') === text;
  return matchesText ? styledTexts : [{ text, className: '' }];
}
