/** The content of the data view: the list of variables, or why there is none. */
import { refreshIcon } from '@jupyterlab/ui-components';
import type { TranslationBundle } from '@jupyterlab/translation';
import React from 'react';

import { joinSentences } from '../../../labels/serverText';
import { showTime } from '../../../labels/time';
import { Button, CopyButton } from '../../../ui/button';
import { IconButton } from '../../../ui/iconButton';
import type { IReadList, NotebookData } from '../model/notebookData';
import { useData } from './context';
import { FrameView } from './frameView';

const EXAMPLES = {
  python: 'import pandas as pd\n\ndf = pd.read_csv("sales.csv")',
  r: 'sales <- read.csv("sales.csv")'
};

export function DataView(): React.JSX.Element {
  const { model, trans } = useData();
  const { data } = model;
  return (
    <>
      {data ? (
        <NotebookView data={data} />
      ) : (
        <Message
          title={trans.__('No notebook is open')}
          text={trans.__('Open a notebook to see its data.')}
        />
      )}
      <p className="jp-AIServer-Data-privacy">
        {joinSentences(
          trans.__('What is shown here stays on this computer.'),
          trans.__('A model gets only what the prompt row says.')
        )}
      </p>
    </>
  );
}

function NotebookView({ data }: { data: NotebookData }): React.JSX.Element {
  const { trans, locale } = useData();
  const { list, isBusy, kernelState } = data;
  const clock = ({ time }: IReadList) =>
    showTime(time.toISOString(), new Date(), locale).clock;
  const isWaiting = isBusy || (!!list && kernelState === 'starting');
  const problem = problemText(data, clock, trans);
  return (
    <>
      <div className="jp-AIServer-Data-status">
        <p role="status">{problem}</p>
        {!problem && list && <p>{listText(data, list, clock, trans)}</p>}
        {list && (
          <IconButton
            icon={refreshIcon}
            label={trans.__('Read the data again')}
            disabled={isWaiting}
            onClick={() => data.refresh()}
          />
        )}
      </div>
      {list?.items.length ? (
        <div className="jp-AIServer-Data-content">
          <ul
            className={
              'jp-AIServer-Data-list' + (isWaiting ? ' jp-mod-busy' : '')
            }
            aria-label={trans.__('Data in the kernel')}
          >
            {list.items.map(({ name }) => {
              const frame = data.frame(name);
              return (
                frame && (
                  <FrameView
                    key={frame.id}
                    data={data}
                    frame={frame}
                    change={data.changes.get(name)}
                  />
                )
              );
            })}
          </ul>
          {!list.isComplete && (
            <p className="jp-AIServer-Data-note">
              {trans._n(
                'Only the newest %1 variable is listed.',
                'Only the newest %1 variables are listed.',
                list.items.length
              )}
            </p>
          )}
        </div>
      ) : (
        <NoData data={data} />
      )}
    </>
  );
}

/** Return why the list may be outdated or missing; empty if it is up to date. */
function problemText(
  data: NotebookData,
  clock: (list: IReadList) => string,
  trans: TranslationBundle
): string {
  const { list, isBusy, hasFailed } = data;
  const from = list ? trans.__('The list is from %1.', clock(list)) : '';
  return isBusy
    ? joinSentences(
        trans.__('The kernel is busy.'),
        from || trans.__('Its data is listed when it is idle.')
      )
    : hasFailed
      ? joinSentences(trans.__('The kernel could not list its data.'), from)
      : '';
}

/** The time of the list, and since when its changes are marked. */
function listText(
  { base, changes }: NotebookData,
  list: IReadList,
  clock: (list: IReadList) => string,
  trans: TranslationBundle
): string {
  return joinSentences(
    trans.__('Read at %1.', clock(list)),
    base && changes.size ? trans.__('Changes since %1.', clock(base)) : ''
  );
}

function NoData({ data }: { data: NotebookData }): React.JSX.Element | null {
  const { trans } = useData();
  const { kernelState, list, hasFailed } = data;
  const example = EXAMPLES[data.language ?? 'python'];
  if (kernelState === 'other') {
    return (
      <Message
        title={trans.__('Nothing to list')}
        text={trans.__('Only Python and R kernels can list their data so far.')}
      />
    );
  }
  if (kernelState === 'none') {
    return (
      <Message
        title={trans.__('No kernel is running')}
        text={trans.__(
          'Start a kernel, or run a cell, to see the notebook’s data.'
        )}
      />
    );
  }
  if (hasFailed) {
    return (
      <Message title="" text="">
        <Button label={trans.__('Try again')} run={() => data.refresh()} />
      </Message>
    );
  }
  return list ? (
    <Message
      title={trans.__('No data yet')}
      text={trans.__(
        'DataFrames and arrays are listed here as soon as a cell creates one. For example:'
      )}
    >
      <pre>
        <code>{example}</code>
      </pre>
      <CopyButton text={example} trans={trans} />
    </Message>
  ) : (
    <Message
      title=""
      text={
        kernelState === 'starting' ? trans.__('The kernel is starting…') : ''
      }
    />
  );
}

function Message(props: {
  title: string;
  text: string;
  children?: React.ReactNode;
}): React.JSX.Element {
  return (
    <div className="jp-AIServer-Data-message">
      {props.title && <h3>{props.title}</h3>}
      {props.text && <p>{props.text}</p>}
      {props.children}
    </div>
  );
}
