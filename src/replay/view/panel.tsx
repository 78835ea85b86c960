/** The sidebar's widget. It activates its model only while the widget is visible. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { ITranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import { Message, MessageLoop } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import React from 'react';

import { CommandIDs } from '../../tokens';
import type { ReplayModel } from '../model/replay';
import { pickLocale } from '../../labels/locale';
import { IReplayContext, ReplayContext } from './context';
import { replayIcon } from './icons';
import { ReplayView } from './view';

/** The interval at which times are updated, in milliseconds; they are shown to the minute. */
const TICK_MS = 30_000;

export class ReplayPanel extends VDomRenderer<ReplayModel> {
  constructor(options: {
    model: ReplayModel;
    languages: IEditorLanguageRegistry;
    translator: ITranslator;
    commands: CommandRegistry;
  }) {
    super(options.model);
    const { model, commands, languages, translator } = options;
    const trans = translator.load('aiserver');
    const language = translator.languageCode ?? 'en';
    const locale = pickLocale(language, navigator.languages ?? []);
    const now = new Date();
    this._context = { model, commands, languages, trans, locale, now };
    commands.keyBindingChanged.connect(() => this.update(), this);
    commands.commandChanged.connect((_, { id }) => {
      if (id === CommandIDs.blame || id === CommandIDs.exportReplay) {
        this.update();
      }
    }, this);
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
        <ReplayView />
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
    // Render now, because the tab that is selected in the model may not be rendered yet.
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
   * Focus the slider, so that arrow keys move through the steps, or the search field. As long as
   * neither is rendered, focus the selected tab. Once the person has moved the focus, do nothing.
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

  private _context: IReplayContext;
  private _ticker: number | null = null;
  private _isFocusPending = false;
}
