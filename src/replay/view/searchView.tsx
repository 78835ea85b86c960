/** Search over all turns: a field, where to look, what was found. */
import { searchIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { SearchHit } from '../../api/types';
import type { SearchBy, SearchModel, SearchScope } from '../model/search';
import { cellName } from '../../labels/cellNames';
import { useReplay } from './context';
import { VirtualList, IVirtualListHandle } from '../../ui/virtualList';
import { When } from './when';

/** What a first look suggests: a name, an error, words of any language. */
const EXAMPLES = ['read_csv', 'KeyError', '直方图'];

export function SearchView(props: {
  search: SearchModel;
  onOpen: (hit: SearchHit) => void;
}): React.JSX.Element {
  const { search, onOpen } = props;
  const { trans } = useReplay();
  const field = React.useRef<HTMLInputElement>(null);
  const list = React.useRef<IVirtualListHandle>(null);
  const hits = search.query.trim() ? search.hits : null;
  React.useEffect(() => {
    if (search.takeCall()) {
      field.current?.focus();
    }
  });
  const more = React.useCallback(() => void search.more(), [search]);
  return (
    <div
      className="jp-AIServer-Replay-search"
      data-lm-suppress-shortcuts="true"
    >
      <div className="jp-AIServer-Replay-field">
        <searchIcon.react tag="span" />
        <input
          ref={field}
          type="search"
          value={search.query}
          placeholder={trans.__('Search')}
          aria-label={trans.__(
            'Search requests, code, explanations and errors'
          )}
          maxLength={1000}
          spellCheck={false}
          onChange={event => {
            search.query = event.target.value;
          }}
          onKeyDown={event => {
            const { isComposing } = event.nativeEvent;
            if (isComposing || !hits?.length) {
              return;
            }
            if (event.key === 'ArrowDown') {
              event.preventDefault();
              list.current?.focus(0);
            } else if (event.key === 'Enter' && !search.isSearching) {
              event.preventDefault();
              onOpen(hits[0]);
            }
          }}
        />
      </div>
      <Facets search={search} />
      <p className="jp-AIServer-Replay-found" role="status">
        {statusText(search, trans)}
      </p>
      {hits?.length ? (
        <VirtualList
          ref={list}
          className="jp-AIServer-Replay-hits"
          label={trans.__('Search results')}
          count={hits.length}
          keyOf={index => keyOf(hits[index])}
          estimate={() => 66}
          onEnd={more}
          onLeave={() => field.current?.focus()}
          render={(index, tabIndex) => (
            <Hit
              hit={hits[index]}
              isHere={search.isHere(hits[index])}
              number={search.numberOf(hits[index])}
              tabIndex={tabIndex}
              onOpen={onOpen}
            />
          )}
        />
      ) : (
        <Nothing search={search} isAsked={hits !== null} field={field} />
      )}
    </div>
  );
}

function keyOf(hit: SearchHit): string {
  return `${hit.notebookId}/${hit.cellId}/${hit.turnId}`;
}

function statusText(search: SearchModel, trans: TranslationBundle): string {
  if (!search.query.trim()) {
    return '';
  }
  if (search.hits === null) {
    return search.isSearching ? trans.__('Searching…') : '';
  }
  const found = trans._n('%1 request', '%1 requests', search.total);
  return search.unread > 0
    ? `${found} · ${trans._n(
        'still loading the history of %1 cell…',
        'still loading the histories of %1 cells…',
        search.unread
      )}`
    : found;
}

/** Where to look, and how. */
function Facets(props: { search: SearchModel }): React.JSX.Element {
  const { search } = props;
  const { trans } = useReplay();
  const { meaning } = search;
  const install = meaning?.available === false ? meaning.install : null;
  return (
    <div className="jp-AIServer-Replay-facets">
      <Choice<SearchScope>
        label={trans.__('Search in')}
        name="scope"
        value={search.scope}
        options={[
          ['notebook', trans.__('This notebook'), !search.hasNotebook],
          ['project', trans.__('All notebooks'), false]
        ]}
        onChange={value => {
          search.scope = value;
        }}
      />
      <Choice<SearchBy>
        label={trans.__('Search by')}
        name="by"
        value={search.by}
        options={[
          ['words', trans.__('Text'), false],
          [
            'meaning',
            trans.__('Meaning'),
            !meaning?.available,
            install
              ? trans.__('To search by meaning, run: %1', install)
              : trans.__(
                  'Finds results with a similar meaning, even if the words differ. Works best in English.'
                )
          ]
        ]}
        onChange={value => {
          search.by = value;
        }}
      />
    </div>
  );
}

function Choice<T extends string>(props: {
  label: string;
  name: string;
  value: T;
  options: [value: T, text: string, isDisabled: boolean, title?: string][];
  onChange: (value: T) => void;
}): React.JSX.Element {
  const { label, name, value, options, onChange } = props;
  return (
    <fieldset className="jp-AIServer-Replay-choice">
      <legend>{label}</legend>
      {options.map(([option, text, isDisabled, title]) => (
        <label key={option} title={title}>
          <input
            type="radio"
            name={`jp-AIServer-Replay-${name}`}
            checked={option === value}
            disabled={isDisabled}
            onChange={() => onChange(option)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

const Hit = React.memo(function Hit(props: {
  hit: SearchHit;
  isHere: boolean;
  /** The place of its cell, if the notebook is here. */
  number: number | null;
  tabIndex: 0 | -1;
  onOpen: (hit: SearchHit) => void;
}): React.JSX.Element {
  const { hit, isHere, number, tabIndex, onOpen } = props;
  const { trans } = useReplay();
  const isLost = !isHere && hit.path === null;
  const file = hit.path?.split('/').pop() ?? trans.__('notebook not found');
  const pieces = hit.snippet.map((piece, index) =>
    piece.hit ? <mark key={index}>{piece.text}</mark> : piece.text
  );
  const inIntent = hit.where === 'intent';
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      aria-disabled={isLost || undefined}
      title={
        isLost
          ? trans.__('This notebook was moved or deleted.')
          : (hit.path ?? undefined)
      }
      onClick={() => (isLost ? undefined : onOpen(hit))}
    >
      <span className="jp-AIServer-Replay-intent">
        {inIntent && pieces.length
          ? pieces
          : hit.intent.trim() || trans.__('Request without text')}
      </span>
      {!inIntent && (
        <span className={`jp-AIServer-Replay-snippet jp-mod-${hit.where}`}>
          {hit.where === 'explanation' ? pieces : <code>{pieces}</code>}
        </span>
      )}
      <span className="jp-AIServer-Replay-by">
        {hit.where === 'error' && (
          <span className="jp-AIServer-Replay-chip jp-mod-bad">
            {trans.__('failed')}
          </span>
        )}
        <span className="jp-AIServer-Replay-file">
          {isHere ? cellName(number, trans) : file}
        </span>
        <When time={hit.timestamp} />
      </span>
    </button>
  );
});

/** What to do where there is nothing to show. */
function Nothing(props: {
  search: SearchModel;
  isAsked: boolean;
  field: React.RefObject<HTMLInputElement>;
}): React.JSX.Element | null {
  const { search, isAsked, field } = props;
  const { trans } = useReplay();
  if (
    search.error ||
    (search.query.trim() && (!isAsked || search.unread > 0))
  ) {
    return null;
  }
  if (isAsked && search.isSearching) {
    return null;
  }
  if (isAsked) {
    return (
      <div className="jp-AIServer-Replay-empty">
        <h3>{trans.__('No results')}</h3>
        <p>
          {trans.__('Try fewer or different words. Parts of words also match.')}
        </p>
        {search.scope === 'notebook' && (
          <button
            type="button"
            className="jp-AIServer-Replay-button"
            onClick={() => {
              search.scope = 'project';
              field.current?.focus();
            }}
          >
            {trans.__('Search all notebooks')}
          </button>
        )}
      </div>
    );
  }
  return (
    <div className="jp-AIServer-Replay-empty">
      <h3>{trans.__('Find an earlier request')}</h3>
      <p>
        {trans.__(
          'Search requests, code, explanations and errors. Select a result to see its step. For example:'
        )}
      </p>
      <div className="jp-AIServer-Replay-examples">
        {EXAMPLES.map(example => (
          <button
            key={example}
            type="button"
            className="jp-AIServer-Replay-button"
            onClick={() => {
              search.query = example;
              field.current?.focus();
            }}
          >
            {example}
          </button>
        ))}
      </div>
    </div>
  );
}
