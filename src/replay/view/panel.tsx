/**
 * The sidebar's widget, which owns the life cycle: its model is active only while it is visible.
 */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { ITranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import { Message, MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import React from 'react';

import type { ReplayModel } from '../model/replay';
import { pickLocale } from '../../labels/locale';
import { IReplayContext, ReplayContext } from './context';
import type { IAsk } from './empty';
import type { OpenMenu } from './exportMenu';
import { replayIcon } from './icons';
import { IToggle, ReplayView } from './view';

/** The interval at which times are updated, in milliseconds; they are shown to the minute. */
const TICK_MS = 30_000;

export class ReplayPanel extends VDomRenderer<ReplayModel> {
  constructor(options: {
    model: ReplayModel;
    languages: IEditorLanguageRegistry;
    translator: ITranslator;
    /** The command to ask for code; null while it is unavailable. */
    ask: () => IAsk | null;
    /** The function that opens the guided notebook; null while it is unavailable. */
    firstSteps?: () => (() => void) | null;
    copy: (text: string) => void;
    /** The toggle of authorship in the cell; null while it is unavailable. */
    blame?: () => IToggle | null;
    /** The function that opens the export menu; null while exports are unavailable. */
    exports?: () => OpenMenu | null;
  }) {
    super(options.model);
    const trans = options.translator.load('aiserver');
    const language = options.translator.languageCode ?? 'en';
    this._ask = options.ask;
    this._firstSteps = options.firstSteps;
    this._copy = options.copy;
    this._blame = options.blame;
    this._exports = options.exports;
    this._context = {
      trans,
      locale: pickLocale(language, navigator.languages ?? []),
      now: new Date(),
      languages: options.languages
    };
    this.id = 'aiserver-replay';
    this.addClass('jp-AIServer-Replay');
    this.node.setAttribute('role', 'region');
    this.node.tabIndex = -1;
    this.node.addEventListener(
      'keydown',
      () => (this._isFocusPending = false),
      true
    );
    this.node.setAttribute('aria-label', trans.__('Replay'));
    this.title.icon = replayIcon;
    this.title.caption = trans.__('Replay: see how each cell was made');
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._deactivate();
      super.dispose();
    }
  }

  protected render(): React.ReactElement {
    return (
      <ReplayContext value={this._context}>
        <ReplayView
          model={this.model!}
          ask={this._ask()}
          firstSteps={this._firstSteps?.() ?? undefined}
          copy={this._copy}
          blame={this._blame?.()}
          exports={this._exports?.()}
        />
      </ReplayContext>
    );
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (this.isVisible) {
      this._activate();
    }
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._activate();
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._deactivate();
  }

  protected override onBeforeDetach(msg: Message): void {
    this._deactivate();
    super.onBeforeDetach(msg);
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    // The selected tab may differ from the one that is drawn.
    MessageLoop.sendMessage(this, Widget.Msg.UpdateRequest);
    this.node.focus();
    this._isFocusPending = true;
    this._focusContent();
  }

  protected override onUpdateRequest(msg: Message): void {
    super.onUpdateRequest(msg);
    if (this._isFocusPending) {
      void this.renderPromise?.then(() => this._focusContent());
    }
  }

  /**
   * Focus the slider, so that arrow keys move through the steps, or the search field. While
   * neither exists, focus the tab. Does nothing once the person has moved the focus.
   */
  private _focusContent(): void {
    const { activeElement } = document;
    const tab = this.node.querySelector<HTMLElement>(
      '[role="tab"][aria-selected="true"]'
    );
    if (activeElement !== this.node && activeElement !== tab) {
      this._isFocusPending = false;
    }
    const field = this.node.querySelector<HTMLElement>(
      '[role="slider"], input[type="search"]'
    );
    if (this._isFocusPending) {
      (field ?? tab)?.focus();
      this._isFocusPending = !field;
    }
  }

  private _activate(): void {
    if (this._ticker === null) {
      this._ticker = window.setInterval(() => this._tick(), TICK_MS);
      this._tick();
    }
    if (this.model) {
      this.model.isActive = true;
    }
  }

  private _deactivate(): void {
    if (this._ticker !== null) {
      window.clearInterval(this._ticker);
      this._ticker = null;
    }
    if (this.model) {
      this.model.isActive = false;
    }
  }

  private _tick(): void {
    this._context = { ...this._context, now: new Date() };
    this.update();
  }

  private readonly _blame?: () => IToggle | null;
  private readonly _exports?: () => OpenMenu | null;
  private readonly _ask: () => IAsk | null;
  private readonly _firstSteps?: () => (() => void) | null;
  private readonly _copy: (text: string) => void;
  private _context: IReplayContext;
  private _ticker: number | null = null;
  private _isFocusPending = false;
}
