/** Chips below the input field: what the next request mentions by `@`, and what of it is sent. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { Mention } from '../../../api/types';
import type { GenerationModel } from '../../model/generation';
import { forbiddenText } from '../../../labels/failureText';
import { forbiddenPart, needsConsent } from '../../model/context/mentions';

export function MentionChips(props: {
  model: GenerationModel;
  /** The text of the input field. */
  text: string;
  trans: TranslationBundle;
}): React.JSX.Element | null {
  const { model, text, trans } = props;
  const mentions = model.mentions(text);
  if (!mentions.length) {
    return null;
  }
  const isLocal = model.state.model?.onThisMachine ?? false;
  const isAnyWithheld =
    !isLocal && mentions.some(mention => needsConsent(mention));
  const forbidden = new Set(
    mentions.flatMap(mention => forbiddenPart(mention) ?? [])
  );
  return (
    <div className="jp-AIServer-Ask-chips">
      {mentions.map(mention => (
        <span key={mention.name} className="jp-AIServer-Ask-chip">
          {mention.name}
          {!isLocal && needsConsent(mention) ? (
            <label>
              <input
                type="checkbox"
                aria-label={`${mention.name}: ${consentText(mention, trans)}`}
                checked={mention.shared ?? false}
                onChange={event => model.share(mention, event.target.checked)}
              />
              {consentText(mention, trans)}
            </label>
          ) : (
            <small>{contentText(mention, trans)}</small>
          )}
        </span>
      ))}
      {[...forbidden].map(feature => (
        <span key={feature} className="jp-AIServer-Ask-hint">
          {forbiddenText(feature, trans)}
        </span>
      ))}
      {isAnyWithheld && (
        <span className="jp-AIServer-Ask-hint">
          {trans.__(
            'Outputs, values and texts are only sent if you select them.'
          )}
        </span>
      )}
    </div>
  );
}

/** Return the label of the checkbox that sends a part of a mention to a remote model. */
function consentText({ kind }: Mention, trans: TranslationBundle): string {
  switch (kind) {
    case 'file':
      return trans.__('send its text');
    case 'variable':
      return trans.__('send its value');
    default:
      return trans.__('send its output');
  }
}

/** Return a text that says what of a mention is sent. */
function contentText(mention: Mention, trans: TranslationBundle): string {
  const { kind, output, error } = mention;
  const part = forbiddenPart(mention);
  if (part === 'files') {
    return trans.__('not sent');
  }
  if (kind === 'file') {
    return needsConsent(mention)
      ? trans.__('its text')
      : trans.__('its columns and types');
  }
  if (kind === 'error') {
    return trans.__('the last lines');
  }
  if (kind === 'variable') {
    return part ? trans.__('its type') : trans.__('its value');
  }
  if (output && !mention.cellId) {
    return part ? trans.__('not sent') : trans.__('as text');
  }
  return error || (output && !part)
    ? trans.__('code and output')
    : trans.__('code');
}
