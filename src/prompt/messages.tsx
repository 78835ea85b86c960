/** The messages of a prompt, as the server returns them, never rendered as HTML. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { ImageFacts, PromptMessage } from '../api/types';

export function Messages(props: {
  messages: readonly PromptMessage[];
  trans: TranslationBundle;
  /** By default, only an image's description is shown. */
  renderImage?: (image: ImageFacts, label: string) => React.ReactNode;
}): React.JSX.Element {
  const { messages, trans, renderImage } = props;
  return (
    <>
      {messages.map((message, index) => (
        <section key={index}>
          <h3>{messageTitle(message, trans)}</h3>
          {/* The keyboard can scroll a long text only if it is focusable. */}
          <pre tabIndex={0} aria-label={messageTitle(message, trans)}>
            {message.text}
          </pre>
          {message.images?.map((image, position) => {
            const label = imageText(image, trans);
            return (
              <div key={position}>
                <p>{label}</p>
                {renderImage?.(image, label)}
              </div>
            );
          })}
        </section>
      ))}
    </>
  );
}

/** All messages as one text, with their headings, to compare it with another. */
export function messagesText(
  messages: readonly PromptMessage[],
  trans: TranslationBundle
): string {
  return messages
    .map(message =>
      [
        `── ${messageTitle(message, trans)}`,
        message.text,
        ...(message.images ?? []).map(image => imageText(image, trans)),
        ''
      ].join('\n')
    )
    .join('\n');
}

/** Empty if no secrets were replaced. */
export function redactedText(count: number, trans: TranslationBundle): string {
  return count > 0
    ? trans._n(
        '%1 key or password was masked.',
        '%1 keys or passwords were masked.',
        count
      )
    : '';
}

/** With the beginning of the image's hash. */
export function imageText(
  { mediaType, width, height, size, sha256 }: ImageFacts,
  trans: TranslationBundle
): string {
  return trans.__(
    'Image: %1, %2 × %3 pixels, %4 kB, SHA-256 %5…',
    mediaType === 'image/png' ? 'PNG' : 'JPEG',
    width,
    height,
    Math.ceil(size / 1000),
    sha256.slice(0, 12)
  );
}

function messageTitle(
  { role, example }: PromptMessage,
  trans: TranslationBundle
): string {
  const roles = {
    system: trans.__('Instructions'),
    user: trans.__('From you and your notebook'),
    assistant: trans.__('Earlier answers and code from the notebook')
  };
  return example ? trans.__('Example included with AI Server') : roles[role];
}
