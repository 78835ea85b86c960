/**
 * The sidebar: owns the life cycle. Its model works only while the panel is seen.
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

/** Times are shown to the minute. */
const TICK_MS = 30_000;

export class ReplayPanel extends VDomRenderer<ReplayModel> {
  constructor(options: {
    model: ReplayModel;
    languages: IEditorLanguageRegistry;
    translator: ITranslator;
    /** How to ask for code now; null where that is not to be had. */
    ask: () => IAsk | null;
    /** Open the guided notebook; null where that is not to be had. */
    firstSteps?: () => (() => void) | null;
    copy: (text: string) => void;
    /** Showing who wrote each line in the cell; null where that is not to be had. */
    blame?: () => IToggle | null;
    /** The menu of what it can be exported as; null where that is not to be had. */
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
      () => (this._wantsFocus = false),
      true
    );
    this.node.setAttribute('aria-label', trans.__('Replay'));
    this.title.icon = replayIcon;
    this.title.caption = trans.__('Replay: see how each cell was made');
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this._sleep();
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
      this._wake();
    }
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    this._wake();
  }

  protected override onAfterHide(msg: Message): void {
    super.onAfterHide(msg);
    this._sleep();
  }

  protected override onBeforeDetach(msg: Message): void {
    this._sleep();
    super.onBeforeDetach(msg);
  }

  protected override onActivateRequest(msg: Message): void {
    super.onActivateRequest(msg);
    // What is to be shown now may be another view than the one that is drawn.
    MessageLoop.sendMessage(this, Widget.Msg.UpdateRequest);
    this.node.focus();
    this._wantsFocus = true;
    this._takeFocus();
  }

  protected override onUpdateRequest(msg: Message): void {
    super.onUpdateRequest(msg);
    if (this._wantsFocus) {
      void this.renderPromise?.then(() => this._takeFocus());
    }
  }

  /**
   * Into the slider, so that arrow keys go through the steps at once; in a search into its field;
   * into the tabs while there is neither, unless the person went on meanwhile.
   */
  private _takeFocus(): void {
    const { activeElement } = document;
    const tab = this.node.querySelector<HTMLElement>(
      '[role="tab"][aria-selected="true"]'
    );
    if (activeElement !== this.node && activeElement !== tab) {
      this._wantsFocus = false;
    }
    const field = this.node.querySelector<HTMLElement>(
      '[role="slider"], input[type="search"]'
    );
    if (this._wantsFocus) {
      (field ?? tab)?.focus();
      this._wantsFocus = !field;
    }
  }

  private _wake(): void {
    if (this._ticker === null) {
      this._ticker = window.setInterval(() => this._tick(), TICK_MS);
      this._tick();
    }
    if (this.model) {
      this.model.isActive = true;
    }
  }

  private _sleep(): void {
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
  private _wantsFocus = false;
}
