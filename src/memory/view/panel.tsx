/**
 * The widget of the memory view. It fetches the lists when it is shown, and the code of the content
 * when it is first shown.
 */
import { VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import React from 'react';

import { pathIcon } from '../../ui/icons';
import { lazyView } from '../../ui/lazy';
import type { MemoryModel } from '../model/memoryModel';
import { IMemoryContext, MemoryContext } from './context';
import { panelCaption } from './memoryLabels';

/** A bookmark. */
export const memoryIcon = pathIcon(
  'memory',
  'M6 3h12a1 1 0 0 1 1 1v17l-7-4-7 4V4a1 1 0 0 1 1-1Zm1 2v12.600l5-2.900 5 2.900V5H7Zm2 2h6v2H9V7Zm0 3.500h6v2H9v-2Z'
);

/** The attribute of the sidebar's icon by which the style sheet shows the number. */
const COUNT = 'aiserver-count';

const MemoryView = lazyView(async () => (await import('./view')).MemoryView);

export class MemoryPanel extends VDomRenderer<MemoryModel> {
  constructor(private readonly _context: IMemoryContext) {
    super(_context.model);
    const { model, trans } = _context;
    this.id = 'aiserver-memory';
    this.addClass('jp-AIServer-Memory');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Memory'));
    this.node.tabIndex = -1;
    this.title.icon = memoryIcon;
    model.stateChanged.connect(this._updateTitle, this);
    this._updateTitle();
  }

  /** Focus the field for a new entry, instead of the list, when the widget is activated. */
  requestField(): void {
    this._isFieldRequested = true;
  }

  protected render(): React.ReactElement | null {
    const focusField = () => {
      this.requestField();
      this._applyFocus();
    };
    return this._wasVisible ? (
      <MemoryContext value={this._context}>
        <MemoryView
          props={{ focusField }}
          trans={this._context.trans}
          onLoad={() => this._applyFocus()}
        />
      </MemoryContext>
    ) : null;
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (this.isVisible) {
      this._onVisible();
    }
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._onVisible();
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    this.node.focus();
    this._applyFocus();
  }

  protected override onUpdateRequest(msg: Message): void {
    super.onUpdateRequest(msg);
    void this.renderPromise?.then(() => this._applyFocus());
  }

  private _onVisible(): void {
    this._wasVisible = true;
    this.update();
    void this.model?.load();
  }

  /**
   * Focus the field for a new entry if that was requested, or else the first row of the list or, if
   * the list is empty, the field. Do nothing if the person has moved the focus to another element.
   */
  private _applyFocus(): void {
    const field = this.node.querySelector('textarea');
    const first = this.node.querySelector<HTMLElement>('ol button');
    if (this._isFieldRequested && field) {
      this._isFieldRequested = false;
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
    } else if (document.activeElement === this.node && this.model?.hasLoaded) {
      if (first || !this.model.rows.length) {
        (first ?? field)?.focus();
      } else if (this.node.querySelector('ol')) {
        // The rows of a list that has just been shown are drawn after their heights are known.
        requestAnimationFrame(() => this._applyFocus());
      }
    }
  }

  /** Show the number of texts that wait on the sidebar's icon. */
  private _updateTitle(): void {
    const { model, trans } = this._context;
    const { waitingCount } = model;
    // The shell's own value identifies the widget.
    const dataset = { ...this.title.dataset };
    delete dataset[COUNT];
    this.title.caption = panelCaption(waitingCount, trans);
    this.title.dataset = waitingCount
      ? { ...dataset, [COUNT]: String(waitingCount) }
      : dataset;
  }

  private _isFieldRequested = false;
  private _wasVisible = false;
}
