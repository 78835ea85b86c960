/**
 * The messages of a prompt, each below a heading that says what it is.
 *
 * Invariant: the messages are rendered exactly as the server returns them, and never as HTML.
 */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { PromptMessage } from '../api/types';

export function Messages(props: {
  messages: readonly PromptMessage[];
  trans: TranslationBundle;
}): React.JSX.Element {
  const { messages, trans } = props;
  return (
    <>
      {messages.map((message, index) => (
        <section key={index}>
          <h3>{messageTitle(message, trans)}</h3>
          {/* A long text can be scrolled with the keyboard only if it is focusable. */}
          <pre tabIndex={0} aria-label={messageTitle(message, trans)}>
            {message.text}
          </pre>
        </section>
      ))}
    </>
  );
}

/** Return all messages as one text, with their headings, in order to compare it with another. */
export function messagesText(
  messages: readonly PromptMessage[],
  trans: TranslationBundle
): string {
  return messages
    .map(message => `── ${messageTitle(message, trans)}\n${message.text}\n`)
    .join('\n');
}

/** Return a sentence about the secrets that were replaced; empty if there are none. */
export function redactedText(count: number, trans: TranslationBundle): string {
  return count > 0
    ? trans._n(
        '%1 key or password was masked.',
        '%1 keys or passwords were masked.',
        count
      )
    : '';
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
