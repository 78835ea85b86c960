/** A manager of prompt rows whose notebook has at most one cell. */
import type { Cell } from '@jupyterlab/cells';
import { CodeMirrorEditorFactory } from '@jupyterlab/codemirror';
import type { NotebookPanel } from '@jupyterlab/notebook';
import { MessageLoop } from '@lumino/messaging';
import { Signal } from '@lumino/signaling';
import { PanelLayout, Widget } from '@lumino/widgets';

import type { DataFrameProfile } from '../../api/types';
import { setup as fakes } from '../model/generation.fakes';
import { NotebookAskManager } from './notebookAskManager';
import { fakeServices } from './promptRow.fakes';

/** Let React render the effects of an action. */
export async function act(action: () => unknown): Promise<void> {
  await action();
  await new Promise(resolve => requestAnimationFrame(resolve));
}

/** A cell widget with the members that the views use, and the id `c1`. */
export class FakeCell extends Widget {
  constructor(readonly source: () => string) {
    super();
    const layout = (this.layout = new PanelLayout());
    const input = new Widget();
    input.addClass('jp-Cell-inputWrapper');
    layout.addWidget(input);
    layout.addWidget(new Widget());
    this.editorWidget = input;
  }
  readonly editorWidget: Widget;
  readonly editorConfig = {};
  readonly ready = Promise.resolve();
  readonly editor = {
    focus: jest.fn(),
    hasFocus: () => false,
    editor: { requestMeasure: () => undefined }
  };
  readonly readOnly = false;
  readonly contentChanged = new Signal<this, void>(this);
  inputHidden = true;
  get model() {
    return {
      id: 'c1',
      mimeType: 'text/x-python',
      contentChanged: this.contentChanged,
      sharedModel: { getSource: () => this.source() }
    };
  }
}

export function setup() {
  const t = fakes();
  const cellsChanged = new Signal<object, void>({});
  const content = {
    model: {
      getMetadata: () => undefined,
      cells: Object.assign([] as unknown[], { changed: cellsChanged })
    },
    widgets: [] as FakeCell[],
    isDisposed: false,
    activeCellChanged: new Signal<object, void>({}),
    stateChanged: new Signal<object, void>({}),
    activeCell: null as FakeCell | null,
    activeCellIndex: -1,
    activate: jest.fn(),
    mode: 'command'
  };
  const disposed = new Signal<object, void>({});
  const sessionContext = {
    statusChanged: new Signal<object, string>({}),
    kernelChanged: new Signal<object, void>({}),
    iopubMessage: new Signal<object, unknown>({})
  };
  const panel = { content, disposed, sessionContext, isDisposed: false };
  const onCellDeleted = jest.fn();
  const onUnsaved = jest.fn();
  const listDataFrames = jest.fn(async () => [] as DataFrameProfile[]);
  const manager = new NotebookAskManager({
    panel: panel as unknown as NotebookPanel,
    ...fakeServices(),
    listDataFrames,
    createModel: () => t.model,
    newEditor: new CodeMirrorEditorFactory().newInlineEditor,
    onCellDeleted,
    onUnsaved
  });
  /** Insert the cell into the notebook as a new widget, or remove it. */
  const place = async (present: boolean): Promise<FakeCell | null> => {
    const cell = present ? new FakeCell(() => t.source() ?? '') : null;
    content.widgets.splice(0).forEach(old => old.dispose());
    if (cell) {
      content.widgets.push(cell);
      Widget.attach(cell, document.body);
    }
    cellsChanged.emit();
    await settle();
    return cell;
  };
  const settle = () =>
    act(async () => {
      for (let i = 0; i < 3; i++) {
        MessageLoop.flush();
        await new Promise(resolve => requestAnimationFrame(resolve));
      }
    });
  const open = async (cell: FakeCell | null) => {
    manager.open(cell as unknown as Cell);
    await settle();
  };
  return {
    ...t,
    manager,
    content,
    disposed,
    sessionContext,
    listDataFrames,
    onCellDeleted,
    onUnsaved,
    open,
    place,
    settle
  };
}

export const rows = () => document.querySelectorAll('.jp-AIServer-Ask').length;
