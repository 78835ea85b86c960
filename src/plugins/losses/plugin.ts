/** Says when cells vanish from a notebook although no person deleted them. */
import {
  JupyterFrontEnd,
  JupyterFrontEndPlugin
} from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';

import { type ILoss, LossDetector } from './model/lossDetector';
import { announceLoss } from './view/announcement';
import { IHistory, INotebookIdentity, ITracking } from '../../tokens';

export const lossesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'aiserver:losses',
  description: 'Says when cells vanish from a notebook, and brings them back.',
  autoStart: true,
  requires: [INotebookTracker, IHistory, INotebookIdentity],
  optional: [ITracking, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker,
    history: IHistory,
    identity: INotebookIdentity,
    tracking: ITracking | null,
    translator: ITranslator | null
  ) => {
    if (!tracking) {
      return;
    }
    const trans = (translator ?? nullTranslator).load('aiserver');
    let revertCount = 0;
    app.commands.commandExecuted.connect((_, { id, result }) => {
      if (id === 'docmanager:restore-checkpoint') {
        revertCount++;
        const end = () => void revertCount--;
        result.then(end, end);
      }
    });
    const isInput = ({ isTrusted, type }: Event) =>
      isTrusted && /^(click|key|mouse|pointer)/.test(type);
    const detector = new LossDetector({
      ...{ tracking, history, identity },
      isPersonActing: () =>
        revertCount > 0 || (!!window.event && isInput(window.event)),
      announce: (loss: ILoss): (() => void) =>
        announceLoss(loss, is => detector.settle(loss, is), app, trans)
    });
    const check = (panel: NotebookPanel) =>
      void detector.checkOpened(panel).catch(() => undefined);
    notebooks.forEach(check);
    notebooks.widgetAdded.connect((_, panel) => check(panel));
  }
};
