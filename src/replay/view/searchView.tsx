import { searchIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import type { SearchHit } from '../../api/types';
import type { SearchBy, SearchModel, SearchScope } from '../model/search';
import { cellName } from '../../labels/cellNames';
import { contributorName } from '../../labels/contributorLabels';
import { Chip, TextButton, When } from './buttons';
import { useReplay } from './context';
import { VirtualList, IVirtualListHandle } from '../../ui/virtualList';

/** Example queries: a function's name, an error, and a word in a language other than English. */
const EXAMPLES = ['read_csv', 'KeyError', '直方图'];

export function SearchView(): React.JSX.Element {
  const { model, trans } = useReplay();
  const { search } = model;
  const field = React.useRef<HTMLInputElement>(null);
  const list = React.useRef<IVirtualListHandle>(null);
  const hits = (search.query.trim() && search.results?.results) || null;
  React.useEffect(() => {
    if (search.isFocusRequested) {
      search.isFocusRequested = false;
      field.current?.focus();
    }
  });
  const loadMore = React.useCallback(() => void search.loadMore(), [search]);
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
              void model.openHit(hits[0]);
            }
          }}
        />
      </div>
      <SearchOptions />
      <p className="jp-AIServer-Replay-status" role="status">
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
          onEnd={loadMore}
          onLeave={() => field.current?.focus()}
          render={(index, tabIndex) => (
            <Hit
              hit={hits[index]}
              isInCurrentNotebook={search.isInCurrentNotebook(hits[index])}
              number={model.subject.numberOf(hits[index].cellId)}
              tabIndex={tabIndex}
            />
          )}
        />
      ) : (
        <NoResults hasResponse={hits !== null} field={field} />
      )}
    </div>
  );
}

function keyOf(hit: SearchHit): string {
  return `${hit.notebookId}/${hit.cellId}/${hit.turnId}/${hit.seq}`;
}

function statusText(search: SearchModel, trans: TranslationBundle): string {
  const { results } = search;
  if (!search.query.trim()) {
    return '';
  }
  if (!results) {
    return search.isSearching ? trans.__('Searching…') : '';
  }
  const count = trans._n('%1 result', '%1 results', results.total);
  return results.unread > 0
    ? `${count} · ${trans._n(
        'still loading the history of %1 cell…',
        'still loading the histories of %1 cells…',
        results.unread
      )}`
    : count;
}

function SearchOptions(): React.JSX.Element {
  const { model, trans } = useReplay();
  const { search } = model;
  const { available, install } = search.meaningSearch ?? {};
  return (
    <div className="jp-AIServer-Replay-facets">
      <Choice<SearchScope>
        label={trans.__('Search in')}
        name="scope"
        value={search.scope}
        options={[
          ['notebook', trans.__('This notebook'), !search.hasHistory],
          ['project', trans.__('All notebooks'), false]
        ]}
        onChange={value => {
          search.scope = value;
        }}
      />
      <Choice<SearchBy>
        label={trans.__('Search by')}
        name="by"
        value={search.searchBy}
        options={[
          ['words', trans.__('Text'), false],
          [
            'meaning',
            trans.__('Meaning'),
            !available,
            available === false && install
              ? trans.__('To search by meaning, run: %1', install)
              : trans.__(
                  'Finds results with a similar meaning, even if the words differ. Works best in English.'
                )
          ]
        ]}
        onChange={value => {
          search.searchBy = value;
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
  isInCurrentNotebook: boolean;
  /** The position of the hit's cell in the current notebook, from 1; null if it isn't in it. */
  number: number | null;
  tabIndex: 0 | -1;
}): React.JSX.Element {
  const { hit, isInCurrentNotebook, number, tabIndex } = props;
  const { model, trans } = useReplay();
  const isNotebookMissing = !isInCurrentNotebook && hit.path === null;
  const fileName = hit.path?.split('/').pop() ?? trans.__('notebook not found');
  return (
    <button
      type="button"
      tabIndex={tabIndex}
      aria-disabled={isNotebookMissing || undefined}
      title={
        isNotebookMissing
          ? trans.__('This notebook was moved or deleted.')
          : (hit.path ?? undefined)
      }
      onClick={() => (isNotebookMissing ? undefined : void model.openHit(hit))}
    >
      <HitText hit={hit} />
      <span className="jp-AIServer-Replay-by">
        {hit.where === 'error' && <Chip tone="bad">{trans.__('failed')}</Chip>}
        {hit.author !== 'model' && <Chip>{contributorName(hit, trans)}</Chip>}
        <span className="jp-AIServer-Replay-file">
          {isInCurrentNotebook ? cellName(number, trans) : fileName}
        </span>
        <When time={hit.timestamp} />
      </span>
    </button>
  );
});

function HitText({ hit }: { hit: SearchHit }): React.JSX.Element {
  const { trans } = useReplay();
  const { intent, where } = hit;
  const snippet = hit.snippet.map((part, index) =>
    part.hit ? <mark key={index}>{part.text}</mark> : part.text
  );
  const isFoundInRequest = where === 'intent';
  return (
    <>
      <span className="jp-AIServer-Replay-intent">
        {isFoundInRequest && snippet.length
          ? snippet
          : intent.trim() || withoutText(hit, trans)}
      </span>
      {!isFoundInRequest && (
        <span className={`jp-AIServer-Replay-snippet jp-mod-${where}`}>
          {where === 'explanation' ? snippet : <code>{snippet}</code>}
        </span>
      )}
    </>
  );
}

function withoutText(hit: SearchHit, trans: TranslationBundle): string {
  return hit.turnId === null
    ? trans.__('No intent given')
    : trans.__('Request without text');
}

/** Examples if there is no query, or advice if nothing matches it. */
function NoResults(props: {
  hasResponse: boolean;
  field: React.RefObject<HTMLInputElement>;
}): React.JSX.Element | null {
  const { hasResponse, field } = props;
  const { model, trans } = useReplay();
  const { search } = model;
  const isIncomplete =
    !hasResponse || search.isSearching || search.results?.unread;
  if (search.error || (search.query.trim() && isIncomplete)) {
    return null;
  }
  if (hasResponse) {
    return (
      <div className="jp-AIServer-Replay-empty">
        <h3>{trans.__('No results')}</h3>
        <p>
          {trans.__('Try fewer or different words. Parts of words also match.')}
        </p>
        {search.scope === 'notebook' && (
          <TextButton
            onClick={() => {
              search.scope = 'project';
              field.current?.focus();
            }}
          >
            {trans.__('Search all notebooks')}
          </TextButton>
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
      <Examples examples={EXAMPLES} field={field} />
      <p>{trans.__('Or find what an author has written:')}</p>
      <Examples
        examples={[
          trans.__('by:me'),
          trans.__('by:agent'),
          trans.__('by:qwen')
        ]}
        field={field}
      />
    </div>
  );
}

function Examples(props: {
  examples: string[];
  field: React.RefObject<HTMLInputElement>;
}): React.JSX.Element {
  const { search } = useReplay().model;
  return (
    <div className="jp-AIServer-Replay-examples">
      {props.examples.map(example => (
        <TextButton
          key={example}
          onClick={() => {
            search.query = example;
            props.field.current?.focus();
          }}
        >
          {example}
        </TextButton>
      ))}
    </div>
  );
}
