/**
 * The list of sections, proposals and entries.
 *
 * Invariant: if an action removes the focused button, the row that is now at its place is focused,
 * or the field for a new entry if no row is left.
 */
import { caretDownIcon, caretRightIcon } from '@jupyterlab/ui-components';
import React from 'react';

import { countText } from '../../../labels/formats';
import { Button } from '../../../ui/button';
import { IVirtualListHandle, VirtualList } from '../../../ui/virtualList';
import type { IRow, Section } from '../model/rows';
import { useMemory } from './context';
import { EntryView, FailureText, ProposalView, rememberLabel } from './rows';

/** Estimates for rows that haven't been rendered yet, in pixels. */
const HEIGHTS = { section: 34, proposal: 130, entry: 52 };

export function MemoryList(props: {
  rows: readonly IRow[];
  /** Focus the field for a new entry, because no row is left. */
  focusField: () => void;
}): React.JSX.Element {
  const { rows, focusField } = props;
  const { trans } = useMemory();
  const list = React.useRef<IVirtualListHandle>(null);
  /** The row to focus when its former button is removed, or -1. */
  const pendingFocus = React.useRef(-1);
  const [, rerender] = React.useReducer((count: number) => count + 1, 0);
  React.useEffect(() => {
    const { activeElement } = document;
    const isLost = !activeElement || activeElement === document.body;
    if (pendingFocus.current >= 0 && isLost) {
      list.current?.focus(pendingFocus.current);
      pendingFocus.current = -1;
    }
  });
  React.useEffect(
    () => () => {
      const isLost = document.activeElement === document.body;
      if (pendingFocus.current >= 0 && isLost) {
        focusField(); // The last row was removed.
      }
    },
    // Only when the list is unmounted.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    []
  );
  const actionOf = (index: number) => async (result: Promise<boolean>) => {
    if (await result) {
      pendingFocus.current = index;
      rerender();
    }
  };
  return (
    <VirtualList
      ref={list}
      className="jp-AIServer-Memory-list"
      label={trans.__('Memory')}
      count={rows.length}
      keyOf={index => rows[index].key}
      estimate={index => HEIGHTS[rows[index].kind]}
      rowClass={index => `jp-mod-${rows[index].kind}`}
      onLeave={focusField}
      render={(index, tabIndex) => {
        const row = rows[index];
        const props = { tabIndex, onAction: actionOf(index) };
        return row.kind === 'section' ? (
          <SectionHead {...row} {...props} />
        ) : row.kind === 'proposal' ? (
          <ProposalView proposal={row.proposal} {...props} />
        ) : (
          <EntryView entry={row.entry} section={row.section} {...props} />
        );
      }}
    />
  );
}

/** Shows and hides the rows of a section, with the actions for all of them. */
function SectionHead(props: {
  section: Section;
  count: number;
  isOpen: boolean;
  tabIndex: 0 | -1;
  onAction: (result: Promise<boolean>) => void;
}): React.JSX.Element {
  const { section, count, isOpen, tabIndex, onAction } = props;
  const { model, trans } = useMemory();
  const Caret = isOpen ? caretDownIcon : caretRightIcon;
  const texts: Record<Section, [title: string, hint?: string]> = {
    waiting: [
      trans.__('Waiting for you'),
      trans.__('Nothing is remembered without your yes.')
    ],
    new: [
      trans.__('New in this project’s memory'),
      trans.__(
        'These came with the project’s files, or from another editor. They could tell models to do what you don’t want, so models get none of them before you have read it and chosen “Use”.'
      )
    ],
    project: [trans.__('For this project')],
    person: [trans.__('For me, in all projects')],
    declined: [trans.__('Not used')]
  };
  const [title, hint] = texts[section];
  const review = (used: boolean) =>
    onAction(model.review(model.newEntries, used, section));
  return (
    <>
      <h3>
        <button
          type="button"
          className="jp-AIServer-Memory-fold"
          aria-expanded={isOpen}
          tabIndex={tabIndex}
          onClick={() => model.toggle(section)}
        >
          <Caret.react tag="span" />
          {title} <small>{countText(count, trans)}</small>
        </button>
      </h3>
      {isOpen && hint && <p className="jp-AIServer-Memory-hint">{hint}</p>}
      {isOpen && count > 1 && section === 'waiting' && (
        <div className="jp-AIServer-Memory-buttons">
          <span>{trans.__('All:')}</span>
          {model.scopes.map(scope => (
            <Button
              key={scope}
              label={rememberLabel(scope, trans)}
              tabIndex={tabIndex}
              run={() => onAction(model.confirmAll(scope))}
            />
          ))}
        </div>
      )}
      {isOpen && count > 1 && section === 'new' && (
        <div className="jp-AIServer-Memory-buttons">
          <Button
            label={trans.__('Use all')}
            tabIndex={tabIndex}
            run={() => review(true)}
          />
          <Button
            label={trans.__('Use none')}
            tabIndex={tabIndex}
            run={() => review(false)}
          />
        </div>
      )}
      <FailureText failure={model.draft(section).failure} />
    </>
  );
}
