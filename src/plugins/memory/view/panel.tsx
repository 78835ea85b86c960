/** The widget of the memory view, which fetches the lists when it is shown. */
import React from 'react';

import { pathIcon } from '../../../ui/icons';
import { lazyView } from '../../../ui/lazy';
import { SidePanel } from '../../../ui/sidePanel';
import type { MemoryModel } from '../model/memoryModel';
import { IMemoryContext, MemoryContext } from './context';

/** A bookmark. */
export const memoryIcon = pathIcon(
  'memory',
  'M6 3h12a1 1 0 0 1 1 1v17l-7-4-7 4V4a1 1 0 0 1 1-1Zm1 2v12.600l5-2.900 5 2.900V5H7Zm2 2h6v2H9V7Zm0 3.500h6v2H9v-2Z'
);

/** By this attribute of the sidebar's icon, the style sheet shows the number. */
const COUNT = 'aiserver-count';

const MemoryView = lazyView(async () => (await import('./view')).MemoryView);

export class MemoryPanel extends SidePanel<MemoryModel> {
  constructor(private readonly _context: IMemoryContext) {
    const { model, trans } = _context;
    super(model, {
      id: 'aiserver-memory',
      className: 'jp-AIServer-Memory',
      label: trans.__('Memory'),
      icon: memoryIcon,
      caption: ''
    });
    model.stateChanged.connect(this._updateTitle, this);
    this._updateTitle();
  }

  /** On activation, focus the field for a new entry instead of the list. */
  requestField(): void {
    this._isFieldRequested = true;
  }

  protected renderContent(): React.JSX.Element {
    const focusField = () => {
      this.requestField();
      this.focusContent();
    };
    return (
      <MemoryContext value={this._context}>
        <MemoryView
          props={{ focusField }}
          trans={this._context.trans}
          onLoad={() => this.focusContent()}
        />
      </MemoryContext>
    );
  }

  protected setActive(isActive: boolean): void {
    if (isActive) {
      void this.model?.load();
    }
  }

  /**
   * Focus the requested field for a new entry, or else the first row of the list or, if it is empty,
   * the field. Do nothing if the person has moved the focus elsewhere.
   */
  protected focusContent(): void {
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
        requestAnimationFrame(() => this.focusContent());
      }
    }
  }

  /** On the sidebar's icon, show the number of texts that wait. */
  private _updateTitle(): void {
    const { model, trans } = this._context;
    const { waitingCount } = model;
    // The shell's own value identifies the widget.
    const dataset = { ...this.title.dataset };
    delete dataset[COUNT];
    if (waitingCount) {
      dataset[COUNT] = String(waitingCount);
    }
    this.title.caption = waitingCount
      ? trans._n(
          'Memory: %1 text waits for you',
          'Memory: %1 texts wait for you',
          waitingCount
        )
      : trans.__('Memory: what models should remember');
    this.title.dataset = dataset;
  }

  private _isFieldRequested = false;
}
