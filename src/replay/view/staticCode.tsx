/** Read-only code with JupyterLab's syntax highlighting, rendered without an editor. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import React from 'react';

import type { IChangedLine } from '../../diff/changedLines';
import type { IRange } from '../../diff/lineDiff';
import { useReplay } from './context';
import { useLoaded } from './loaded';

/**
 * Characters that are invisible or change the reading order, and can make dangerous code look
 * harmless (“Trojan Source”).
 */
const HIDDEN_CHARACTERS =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffc]/g;

function revealHidden(code: string): string {
  return code.replace(HIDDEN_CHARACTERS, '•');
}

export interface IStyledText {
  readonly text: string;
  readonly className: string;
}

/** Return code as styled texts; null if the code can't be highlighted. */
async function highlight(
  languages: IEditorLanguageRegistry,
  code: string,
  mimeType: string
): Promise<IStyledText[] | null> {
  const container = document.createElement('span');
  const language = languages.findByMIME(mimeType);
  if (language) {
    await languages.highlight(code, language, container).catch(() => undefined);
  }
  // After a failure, or if the language is unknown, the container doesn't contain the code.
  return container.textContent === code
    ? Array.from(container.childNodes, node => ({
        text: node.textContent ?? '',
        className: node instanceof HTMLElement ? node.className : ''
      }))
    : null;
}

export function useHighlighting(
  code: string,
  mimeType: string
): readonly IStyledText[] {
  const { languages } = useReplay();
  const text = revealHidden(code);
  const load = React.useCallback(
    () => highlight(languages, text, mimeType),
    [languages, text, mimeType]
  );
  const styledTexts = useLoaded(load).value ?? [];
  // After the code has changed, `styledTexts` is the previous code until highlighting is done.
  const matchesText = styledTexts.map(styled => styled.text).join('') === text;
  return matchesText ? styledTexts : [{ text, className: '' }];
}

export function renderTexts(texts: readonly IStyledText[]) {
  return texts.map(({ text, className }, index) => (
    <span key={index} className={className}>
      {text}
    </span>
  ));
}

export const StaticCode = React.memo(function StaticCode(props: {
  code: string;
  mimeType: string;
}): React.JSX.Element {
  const texts = useHighlighting(props.code, props.mimeType);
  return (
    <code className="jp-AIServer-Replay-static">{renderTexts(texts)}</code>
  );
});

const ELEMENTS = { same: 'span', removed: 'del', added: 'ins' } as const;

export function ChangedCode(props: {
  before: string;
  code: string;
  mimeType: string;
  /** The result of `changedLines(before, code)`. */
  lines: readonly IChangedLine[];
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
