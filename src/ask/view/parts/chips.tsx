/** Chips of the prompt row: what the next request contains, and what of it is sent. */
import type { TranslationBundle } from '@jupyterlab/translation';
import { UseSignal } from '@jupyterlab/ui-components';
import * as React from 'react';

import { forbiddenText } from '../../../labels/failureText';
import { linesText, requestTitle } from '../../../labels/requestTitle';
import { Button } from '../../../ui/button';
import { useWidth } from '../../../ui/width';
import {
  type IMention,
  forbiddenPart,
  needsConsent
} from '../../model/context/mentions';
import { notebookText } from './pastAnswer';
import type { IRow } from '../row';

/** Entries of memories in the tooltip. */
const MAX_ENTRIES = 8;

export function Chip(props: {
  title?: string;
  removeLabel: string;
  onRemove: () => void;
  className?: string;
  children: React.ReactNode;
}): React.JSX.Element {
  const { title, removeLabel, onRemove, className = '', children } = props;
  return (
    <span className={`jp-AIServer-Ask-chip ${className}`} title={title}>
      {children}
      <button
        type="button"
        aria-label={removeLabel}
        title={removeLabel}
        onClick={onRemove}
      >
        ×
      </button>
    </span>
  );
}

/** The lines that may change, and the turn that is continued. */
export function ScopeChips(props: { row: IRow }): React.JSX.Element | null {
  const { model, trans, focus } = props.row;
  const { branch } = model.state;
  // An open suggestion can have fewer or more lines than the person selected.
  const lines =
    model.selectedLines &&
    (model.selectedLinesOf(model.target.source() ?? '') ?? model.selectedLines);
  const title = branch && requestTitle(branch.title, trans);
  return lines || title !== null ? (
    <div className="jp-AIServer-Ask-chips">
      {lines && (
        <Chip
          className="jp-mod-lines"
          title={trans.__('The other lines of the cell stay as they are.')}
          removeLabel={trans.__('Let the whole cell change')}
          onRemove={() => {
            model.setState({ selection: null });
            focus();
          }}
        >
          <span>{linesText(lines, trans)}</span>
        </Chip>
      )}
      {title !== null && (
        <Chip
          className="jp-mod-branch"
          title={title}
          removeLabel={trans.__('Continue from the latest request instead')}
          onRemove={() => {
            model.branchFrom(null);
            focus();
          }}
        >
          <span>{trans.__('continues from “%1”', title)}</span>
        </Chip>
      )}
    </div>
  ) : null;
}

export function ExampleChip(props: { row: IRow }): React.JSX.Element | null {
  const { model, trans, focus } = props.row;
  const { example } = model;
  return example ? (
    <div className="jp-AIServer-Ask-chips">
      <Chip
        className="jp-mod-words"
        title={`${example.intent}\n\n${example.code}`}
        removeLabel={trans.__('Don’t send the example')}
        onRemove={() => {
          model.pastAnswers?.removeExample();
          focus();
        }}
      >
        <span>{trans.__('Example from %1', notebookText(example, trans))}</span>
      </Chip>
    </div>
  ) : null;
}

/** Says that requests contain the entries of memories, and turns this off. */
export function MemoryChip(props: { row: IRow }): React.JSX.Element | null {
  const { model, services, trans, focus } = props.row;
  const { memoryUse: use } = services;
  const memory = model.memory?.memory;
  if (!memory) {
    return null;
  }
  const set = (isOn: boolean) => {
    use.set(isOn);
    focus();
  };
  const draw = () => {
    const texts = memory.usedEntries.map(({ text }) => text.split('\n')[0]);
    const more = texts.length - MAX_ENTRIES;
    return texts.length ? (
      <div className="jp-AIServer-Ask-chips">
        {use.isOn ? (
          <Chip
            className="jp-mod-words"
            title={[
              trans.__('What matters for the request is sent:'),
              ...texts.slice(0, MAX_ENTRIES).map(text => `• ${text}`),
              ...(more > 0 ? [trans.__('… and %1 more', more)] : [])
            ].join('\n')}
            removeLabel={trans.__('Don’t use the memory in this notebook')}
            onRemove={() => set(false)}
          >
            {trans._n('Memory: %1 entry', 'Memory: %1 entries', texts.length)}
          </Chip>
        ) : (
          <Button
            label={trans.__('Use the memory again')}
            quiet
            run={() => set(true)}
          />
        )}
      </div>
    ) : null;
  };
  return (
    <UseSignal signal={memory.changed}>
      {() => <UseSignal signal={use.changed}>{draw}</UseSignal>}
    </UseSignal>
  );
}

export function MentionChips(props: { row: IRow }): React.JSX.Element | null {
  const { model, text, trans } = props.row;
  const mentions = model.mentions(text);
  if (!mentions.length) {
    return null;
  }
  const { onThisMachine = false, seesImages = false } = model.state.model ?? {};
  const isAnyWithheld =
    !onThisMachine &&
    mentions.some(mention => needsConsent(mention, seesImages));
  const hasUnseenPlot =
    !seesImages && mentions.some(({ plots }) => plots?.length);
  const forbidden = new Set(
    mentions.flatMap(mention => forbiddenPart(mention) ?? [])
  );
  const hints = [
    ...[...forbidden].map(feature => forbiddenText(feature, trans)),
    hasUnseenPlot &&
      !forbidden.has('outputs') &&
      trans.__(
        'This model can’t see images. It gets the code and the data that you attach, but not the plot.'
      ),
    isAnyWithheld &&
      trans.__('Outputs, values and texts are only sent if you select them.')
  ];
  return (
    <div className="jp-AIServer-Ask-chips">
      {mentions.map(mention => (
        <span key={mention.name} className="jp-AIServer-Ask-chip">
          {mention.name}
          <MentionChoice mention={mention} row={props.row} />
        </span>
      ))}
      {hints.map(
        hint =>
          hint && (
            <span key={hint} className="jp-AIServer-Ask-hint">
              {hint}
            </span>
          )
      )}
    </div>
  );
}

function MentionChoice(props: {
  mention: IMention;
  row: IRow;
}): React.JSX.Element {
  const { mention, row } = props;
  const { model, trans } = row;
  const { shared, sharesPlots } = mention;
  const { onThisMachine, seesImages } = model.state.model ?? {};
  // A choice for a model that doesn't see images covers only the text.
  const seesPlots = !!seesImages && (!shared || !!sharesPlots);
  if (onThisMachine || !needsConsent(mention, seesPlots)) {
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

function consentText(
  { kind, output, plots }: IMention,
  seesImages: boolean,
  trans: TranslationBundle
): string {
  if (kind === 'file') {
    return trans.__('send its text');
  }
  if (kind === 'variable') {
    return trans.__('send its value');
  }
  if (!seesImages || !plots?.length) {
    return trans.__('send its output');
  }
  return output
    ? trans.__('send its output and plots')
    : trans.__('send the plot as an image');
}

function contentText(
  mention: IMention,
  seesImages: boolean,
  trans: TranslationBundle
): string {
  const part = forbiddenPart(mention);
  switch (mention.kind) {
    case 'file':
      return part
        ? trans.__('not sent')
        : needsConsent(mention, seesImages)
          ? trans.__('its text')
          : trans.__('its columns and types');
    case 'error':
      return trans.__('the last lines');
    case 'variable':
      return part ? trans.__('its type') : trans.__('its value');
    default:
      return cellContentText(mention, !part, seesImages, trans);
  }
}

function cellContentText(
  { cellId, error, output, plots }: IMention,
  isAllowed: boolean,
  seesImages: boolean,
  trans: TranslationBundle
): string {
  const hasPlots = seesImages && !!plots?.length;
  const hasOutput = (!!output || hasPlots) && isAllowed;
  if (cellId) {
    return error || hasOutput ? trans.__('code and output') : trans.__('code');
  }
  if (!hasOutput) {
    return trans.__('not sent');
  }
  return hasPlots ? trans.__('with its plots') : trans.__('as text');
}

/** Lines of chips and buttons that keep their height when some go, so that nothing below jumps. */
export function SteadyLine(props: {
  children: React.ReactNode;
  /** The row's content. If it changes, the height may, too. */
  subject: string;
}): React.JSX.Element {
  const line = React.useRef<HTMLDivElement>(null);
  // In a row of another width, the chips need another number of lines.
  const width = useWidth(line);
  React.useLayoutEffect(() => {
    const { style } = line.current!;
    style.minHeight = '';
    // The line can become taller, but not lower than it is now.
    const keepHeight = () => {
      style.minHeight = `${line.current?.offsetHeight ?? 0}px`;
    };
    keepHeight();
    // The children draw themselves again, for example when the kernel has replied.
    const observer = new MutationObserver(keepHeight);
    observer.observe(line.current!, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [props.subject, width]);
  return (
    <div ref={line} className="jp-AIServer-Ask-below">
      {props.children}
    </div>
  );
}
