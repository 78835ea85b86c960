/** Chips below the input field: what the next request mentions by `@`, and what of it is sent. */
import type { TranslationBundle } from '@jupyterlab/translation';
import * as React from 'react';

import type { GenerationModel } from '../../model/generation';
import { forbiddenText } from '../../../labels/failureText';
import {
  forbiddenPart,
  IMention,
  needsConsent
} from '../../model/context/mentions';

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
  const seesImages = model.state.model?.seesImages ?? false;
  const isAnyWithheld =
    !isLocal && mentions.some(mention => needsConsent(mention, seesImages));
  const hasUnseenPlot =
    !seesImages && mentions.some(({ plots }) => plots?.length);
  const forbidden = new Set(
    mentions.flatMap(mention => forbiddenPart(mention) ?? [])
  );
  return (
    <div className="jp-AIServer-Ask-chips">
      {mentions.map(mention => (
        <span key={mention.name} className="jp-AIServer-Ask-chip">
          {mention.name}
          <MentionChoice {...{ mention, model, isLocal, trans }} />
        </span>
      ))}
      {[...forbidden].map(feature => (
        <span key={feature} className="jp-AIServer-Ask-hint">
          {forbiddenText(feature, trans)}
        </span>
      ))}
      {hasUnseenPlot && !forbidden.has('outputs') && (
        <span className="jp-AIServer-Ask-hint">
          {trans.__(
            'This model can’t see images. It gets the code and the data that you attach, but not the plot.'
          )}
        </span>
      )}
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

/** The part of a mention that is sent; for a remote model, with a checkbox to send it. */
function MentionChoice(props: {
  mention: IMention;
  model: GenerationModel;
  isLocal: boolean;
  trans: TranslationBundle;
}): React.JSX.Element {
  const { mention, model, isLocal, trans } = props;
  const { shared, sharesPlots } = mention;
  // A choice for a model that doesn't see images stays one for the text only.
  const seesPlots =
    !!model.state.model?.seesImages && (!shared || !!sharesPlots);
  if (isLocal || !needsConsent(mention, seesPlots)) {
    return <small>{contentText(mention, seesPlots, trans)}</small>;
  }
  const text = consentText(mention, seesPlots, trans);
  return (
    <label>
      <input
        type="checkbox"
        aria-label={`${mention.name}: ${text}`}
        checked={shared ?? false}
        onChange={event => model.share(mention, event.target.checked)}
      />
      {text}
    </label>
  );
}

/** Return the label of the checkbox that sends a part of a mention to a remote model. */
function consentText(
  { kind, output, plots }: IMention,
  seesImages: boolean,
  trans: TranslationBundle
): string {
  switch (kind) {
    case 'file':
      return trans.__('send its text');
    case 'variable':
      return trans.__('send its value');
    default:
      if (!seesImages || !plots?.length) {
        return trans.__('send its output');
      }
      return output
        ? trans.__('send its output and plots')
        : trans.__('send the plot as an image');
  }
}

/** Return a text that says what of a mention is sent. */
function contentText(
  mention: IMention,
  seesImages: boolean,
  trans: TranslationBundle
): string {
  const { kind, output, error, plots } = mention;
  const part = forbiddenPart(mention);
  if (part === 'files') {
    return trans.__('not sent');
  }
  if (kind === 'file') {
    return needsConsent(mention, seesImages)
      ? trans.__('its text')
      : trans.__('its columns and types');
  }
  if (kind === 'error') {
    return trans.__('the last lines');
  }
  if (kind === 'variable') {
    return part ? trans.__('its type') : trans.__('its value');
  }
  const hasPlots = seesImages && !!plots?.length;
  const hasOutput = (!!output || hasPlots) && !part;
  if (mention.cellId) {
    return error || hasOutput ? trans.__('code and output') : trans.__('code');
  }
  if (!hasOutput) {
    return trans.__('not sent');
  }
  return hasPlots ? trans.__('with its plots') : trans.__('as text');
}
