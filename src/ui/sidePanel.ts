/** A sidebar widget whose model is active, and whose content is loaded, only once it is visible. */
import { type LabIcon, VDomRenderer } from '@jupyterlab/ui-components';
import type { Message } from '@lumino/messaging';
import type * as React from 'react';

export interface ISidePanelOptions {
  readonly id: string;
  readonly className: string;
  /** The accessible name. */
  readonly label: string;
  readonly icon: LabIcon;
  /** The tooltip of the sidebar's icon. */
  readonly caption: string;
}

export abstract class SidePanel<
  M extends VDomRenderer.IModel
> extends VDomRenderer<M> {
  constructor(model: M, options: ISidePanelOptions) {
    super(model);
    this.id = options.id;
    this.addClass(options.className);
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', options.label);
    this.node.tabIndex = -1;
    this.title.icon = options.icon;
    this.title.caption = options.caption;
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.setActive(false);
      super.dispose();
    }
  }

  protected abstract renderContent(): React.JSX.Element;

  /** Called after activation and after updates, until the person moves the focus. */
  protected abstract focusContent(): void;

  /** Called when the widget was shown, and when it may have been hidden. */
  protected abstract setActive(isActive: boolean): void;

  protected get wasVisible(): boolean {
    return this._wasVisible;
  }

  protected override render(): React.JSX.Element | null {
    return this._wasVisible ? this.renderContent() : null;
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

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this.setActive(false);
  }

  protected override onBeforeDetach(msg: Message): void {
    this.setActive(false);
    super.onBeforeDetach(msg);
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    this.node.focus();
    this.focusContent();
  }

  protected override onUpdateRequest(msg: Message): void {
    super.onUpdateRequest(msg);
    void this.renderPromise?.then(() => this.focusContent());
  }

  private _onVisible(): void {
    this._wasVisible = true;
    this.update();
    this.setActive(true);
  }

  private _wasVisible = false;
}
