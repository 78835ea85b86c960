/**
 * The widget of the data view. The model is active only while the widget is visible, and the code of
 * the content is loaded when the widget is first visible.
 */
import type { ITranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import React from 'react';

import { pickLocale } from '../../labels/formats';
import { lazyView } from '../../ui/lazy';
import type { DataModel } from '../model/dataModel';
import { DataContext, IDataContext } from './context';
import { dataIcon } from './icons';

const DataView = lazyView(async () => (await import('./view')).DataView);

export class DataPanel extends VDomRenderer<DataModel> {
  constructor(model: DataModel, translator: ITranslator) {
    super(model);
    const trans = translator.load('aiserver');
    const language = translator.languageCode ?? 'en';
    const locale = pickLocale(language, navigator.languages ?? []);
    this._context = { model, trans, locale };
    this.id = 'aiserver-data';
    this.addClass('jp-AIServer-Data');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', trans.__('Data'));
    this.node.tabIndex = -1;
    this.title.icon = dataIcon;
    this.title.caption = trans.__(
      'Data: the DataFrames and arrays of the kernel'
    );
  }

  protected render(): React.ReactElement | null {
    return this._wasVisible ? (
      <DataContext value={this._context}>
        <DataView
          props={{}}
          trans={this._context.trans}
          onLoad={() => this._focusList()}
        />
      </DataContext>
    ) : null;
  }

  override dispose(): void {
    this._setActive(false);
    super.dispose();
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    this._setActive(this.isVisible);
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._setActive(true);
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._setActive(false);
  }

  protected override onBeforeDetach(msg: Message): void {
    this._setActive(false);
    super.onBeforeDetach(msg);
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    this.node.focus();
    this._focusList();
  }

  protected override onUpdateRequest(msg: Message): void {
    super.onUpdateRequest(msg);
    void this.renderPromise?.then(() => this._focusList());
  }

  /** Focus the first variable, unless the person has moved the focus to another element. */
  private _focusList(): void {
    if (document.activeElement === this.node) {
      this.node.querySelector<HTMLElement>('.jp-AIServer-Data-head')?.focus();
    }
  }

  private _setActive(isActive: boolean): void {
    if (isActive && !this._wasVisible) {
      this._wasVisible = true;
      this.update();
    }
    if (this.model) {
      this.model.isActive = isActive;
    }
  }

  private readonly _context: IDataContext;
  private _wasVisible = false;
}
