import { MenuSvg } from '@jupyterlab/ui-components';
import React from 'react';

import { failureText } from '../../labels/failureText';
import { CommandIDs } from '../../tokens';
import { MenuButton } from '../../ui/menuButton';
import type { ReplayTab } from '../model/replay';
import { TextButton } from './buttons';
import { CellView } from './cell/cellView';
import { useReplay } from './context';
import { EmptyView, NoNotebook } from './empty';
import { NotebookView } from './notebook/notebookView';
import { SearchView } from './searchView';

export function ReplayView(): React.JSX.Element {
  const { model, trans } = useReplay();
  const { failure, selectedTab } = model;
  return (
    <>
      <div className="jp-AIServer-Replay-top">
        <Tabs />
        <NotebookMenu />
      </div>
      <div
        className="jp-AIServer-Replay-body"
        role="tabpanel"
        id="jp-AIServer-Replay-body"
        aria-labelledby={`jp-AIServer-Replay-${selectedTab}`}
      >
        {failure && (
          <div className="jp-AIServer-Replay-failure" role="alert">
            <span>
              {failure.code === 'unknown'
                ? trans.__('The history could not be loaded.')
                : failureText(failure, trans)}
            </span>
            {failure.signIn && (
              <a
                className="jp-AIServer-Replay-button"
                href={failure.signIn}
                target="_blank"
                rel="noopener"
              >
                {trans.__('Sign in')}
              </a>
            )}
            <TextButton onClick={() => model.refresh()}>
              {trans.__('Try again')}
            </TextButton>
          </div>
        )}
        {selectedTab === 'cell' && <CellTab />}
        {selectedTab === 'notebook' && <NotebookView />}
        {selectedTab === 'search' && <SearchView />}
      </div>
    </>
  );
}

function Tabs(): React.JSX.Element {
  const { model, trans } = useReplay();
  const names = {
    cell: trans.__('Cell'),
    notebook: trans.__('Notebook'),
    search: trans.__('Search')
  };
  const tabs = Object.keys(names) as ReplayTab[];
  return (
    <div
      className="jp-AIServer-Replay-tabs"
      role="tablist"
      aria-label={trans.__('Replay')}
      onKeyDown={event => {
        const offset = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (offset) {
          const index = tabs.indexOf(model.selectedTab) + offset + tabs.length;
          const newTab = tabs[index % tabs.length];
          event.preventDefault();
          model.selectedTab = newTab;
          document.getElementById(`jp-AIServer-Replay-${newTab}`)?.focus();
        }
      }}
    >
      {tabs.map(tab => (
        <button
          key={tab}
          type="button"
          role="tab"
          id={`jp-AIServer-Replay-${tab}`}
          aria-selected={tab === model.selectedTab}
          aria-controls="jp-AIServer-Replay-body"
          tabIndex={tab === model.selectedTab ? 0 : -1}
          onClick={() => {
            model.selectedTab = tab;
          }}
        >
          {names[tab]}
        </button>
      ))}
    </div>
  );
}

/** The steps of the cell, or why there are none; nothing while they load or after a failure. */
function CellTab(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  switch (model.steps.phase) {
    case 'steps':
      return <CellView />;
    case 'notebook':
      return <NoNotebook />;
    case 'history':
      return (
        <EmptyView
          title={trans.__('This notebook has no history yet')}
          text={trans.__(
            'After your first request, every request and every version of a cell is saved, and you can replay them here.'
          )}
          showsAskButton
          showsFirstStepsButton
        />
      );
    case 'empty':
      return model.subject.cell?.type !== 'code' &&
        model.steps.isActiveCellShown ? (
        <EmptyView
          title={trans.__('This isn’t a code cell')}
          text={trans.__('Select a code cell to see how it was made.')}
        />
      ) : (
        <EmptyView
          title={trans.__('This cell has no history yet')}
          text={trans.__(
            'Ask for code in this cell. Each request, answer and change will appear here as a step.'
          )}
          showsAskButton
        />
      );
    default:
      return null;
  }
}

function NotebookMenu(): React.JSX.Element | null {
  const { commands, trans } = useReplay();
  const has = (command: string) => commands.hasCommand(command);
  if (!has(CommandIDs.blame) && !has(CommandIDs.exportReplay)) {
    return null;
  }
  return (
    <MenuButton
      label={trans.__('More about this notebook')}
      className="jp-AIServer-Replay-toggle"
      createMenu={() => {
        const menu = new MenuSvg({ commands });
        const args = { isMenu: true };
        for (const command of [CommandIDs.blame, CommandIDs.restoreClean]) {
          if (has(command)) {
            menu.addItem({ command, args });
          }
        }
        if (has(CommandIDs.exportReplay)) {
          menu.addItem({ type: 'separator' });
          for (const format of ['html', 'md', 'ipynb']) {
            const command = CommandIDs.exportReplay;
            menu.addItem({ command, args: { format } });
          }
          menu.addItem({ command: CommandIDs.exportUsage });
        }
        return menu;
      }}
    />
  );
}
