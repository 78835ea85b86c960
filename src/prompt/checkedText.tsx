/**
 * Shows an answer in words, and marks numbers that the output which the model got doesn't support.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PromptMessage } from '../api/types';
import { Markdown } from '../ui/markdown';
import { unsupportedNumbers, unsupportedTexts } from './numbersInText';

export interface IHandedOutput {
  readonly text: string;
  /** Whether the model also got images, whose numbers can't be compared. */
  readonly hasImages: boolean;
}

const MAX_LISTED = 20;

export function CheckedText(props: {
  text: string;
  /** Null if the model got no outputs, or they aren't stored. */
  handed: IHandedOutput | null;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { text, handed, trans } = props;
  const isAnyMarked =
    handed !== null && unsupportedNumbers(text, handed.text).length > 0;
  return (
    <>
      <Markdown
        text={text}
        renderText={
          isAnyMarked
            ? piece => markNumbers(piece, handed.text, trans)
            : undefined
        }
      />
      {isAnyMarked && (
        <p className="jp-AIServer-Markdown-hint">
          {handed.hasImages
            ? trans.__(
                'The marked numbers aren’t in the text that the model got. It may have read them from the plot. Check them.'
              )
            : trans.__(
                'The marked numbers aren’t in the output that the model got. Check them.'
              )}
        </p>
      )}
    </>
  );
}

/** Return a line of Markdown with the unsupported numbers; empty without any. */
export function unsupportedNote(
  text: string,
  handed: IHandedOutput | null,
  trans: TranslationBundle
): string {
  const numbers = handed ? unsupportedTexts(text, handed.text) : [];
  if (!numbers.length) {
    return '';
  }
  const listed = numbers.slice(0, MAX_LISTED).join(', ');
  const list = numbers.length > MAX_LISTED ? `${listed}, …` : listed;
  const sentence = handed?.hasImages
    ? trans.__('Not in the text that the model got: %1', list)
    : trans.__('Not in the output that the model got: %1', list);
  return `*${sentence}*`;
}

/** Return the mentions of a stored prompt; without the server's marks, its last message. */
export function handedIn(messages: readonly PromptMessage[]): IHandedOutput {
  const { text = '', images = [] } = messages[messages.length - 1] ?? {};
  const [, , mentions = text] = MENTIONS.exec(text) ?? [];
  return { text: mentions, hasImages: images.length > 0 };
}

const MENTIONS = /<mentions ([0-9a-f]+)>\n([^]*)\n<\/mentions \1>/;

function markNumbers(
  text: string,
  result: string,
  trans: TranslationBundle
): React.ReactNode {
  const parts: React.ReactNode[] = [];
  let end = 0;
  for (const number of unsupportedNumbers(text, result)) {
    parts.push(
      text.slice(end, number.start),
      <mark
        key={number.start}
        className="jp-AIServer-Markdown-unsupported"
        title={trans.__('This number isn’t in the output that the model got.')}
      >
        {text.slice(number.start, number.end)}
      </mark>
    );
    end = number.end;
  }
  return parts.length ? [...parts, text.slice(end)] : text;
}
