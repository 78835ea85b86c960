/** The sidebar's widget. Its model is active, and its code is loaded, only once it is visible. */
import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import type { ITranslator } from '@jupyterlab/translation';
import { VDomRenderer } from '@jupyterlab/ui-components';
import type { CommandRegistry } from '@lumino/commands';
import { Message, MessageLoop } from '@lumino/messaging';
import { SplitLayout, SplitPanel, Widget } from '@lumino/widgets';
import React from 'react';

import { pickLocale } from '../../labels/formats';
import { CommandIDs, type IMemory } from '../../tokens';
import { lazyView } from '../../ui/lazy';
import type { ReplayModel } from '../model/replay';
import { IReplayContext, ReplayContext } from './context';
import { replayIcon } from './icons';

/** The interval at which the displayed times, such as “yesterday”, are updated. */
const CLOCK_INTERVAL_MS = 30_000;

/** The width with which the sidebar opens, in pixels. */
const WIDTH = 320;

const ReplayView = lazyView(async () => (await import('./view')).ReplayView);

export class ReplayPanel extends VDomRenderer<ReplayModel> {
  constructor(options: {
    model: ReplayModel;
    languages: IEditorLanguageRegistry;
    translator: ITranslator;
    commands: CommandRegistry;
    memory?: IMemory;
  }) {
    super(options.model);
    const { model, commands, languages, memory, translator } = options;
    const trans = translator.load('aiserver');
    const language = translator.languageCode ?? 'en';
    const locale = pickLocale(language, navigator.languages ?? []);
    const now = new Date();
    const services = { model, commands, languages, memory };
    this._context = { ...services, trans, locale, now };
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
    // Don't move the focus any more once the person uses the keyboard.
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

  protected render(): React.ReactElement | null {
    return this._wasVisible ? (
      <ReplayContext value={this._context}>
        <ReplayView
          props={{}}
          trans={this._context.trans}
          onLoad={() => this._focusContent()}
        />
      </ReplayContext>
    ) : null;
  }

  protected override onAfterAttach(msg: Message): void {
    super.onAfterAttach(msg);
    if (this.isVisible) {
      this._activate();
    }
  }

  protected override onAfterShow(msg: Message): void {
    super.onAfterShow(msg);
    if (!this._wasVisible) {
      widenOpeningSidebar(this, WIDTH);
    }
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
    // Render without delay, because the model's selected tab may not be rendered yet.
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
   * Focus the open form or table of “Ask again”, the slider or the search field; until it is
   * rendered, the selected tab. Do nothing if the person has moved the focus.
   */
  private _focusContent(): void {
    const { activeElement } = document;
    const tab = this.node.querySelector<HTMLElement>(
      '[role="tab"][aria-selected="true"]'
    );
    if (activeElement !== this.node && activeElement !== tab) {
      this._isFocusPending = false;
    }
    const again = '.jp-AIServer-Replay-again [data-focus]';
    const control =
      this.node.querySelector<HTMLElement>(again) ??
      this.node.querySelector<HTMLElement>(
        '[role="slider"], input[type="search"]'
      );
    if (this._isFocusPending) {
      (control ?? tab)?.focus();
      this._isFocusPending = !control;
    }
  }

  private _activate(): void {
    this._wasVisible = true;
    if (this._clock === undefined) {
      const update = () => this._updateTime();
      this._clock = window.setInterval(update, CLOCK_INTERVAL_MS);
      this._updateTime();
    }
    if (this.model) {
      this.model.isActive = true;
    }
  }

  private _deactivate(): void {
    window.clearInterval(this._clock);
    this._clock = undefined;
    if (this.model) {
      this.model.isActive = false;
    }
  }

  private _updateTime(): void {
    this._context = { ...this._context, now: new Date() };
    this.update();
  }

  private _context: IReplayContext;
  private _wasVisible = false;
  /** The id of the timer that updates the displayed times; undefined while the widget is hidden. */
  private _clock: number | undefined;
  /** Whether `_focusContent` must be called again, because the content wasn't rendered yet. */
  private _isFocusPending = false;
}

/**
 * Make the sidebar of `panel` at least `width` wide, if showing the panel has just opened it:
 * JupyterLab forgets the width of a closed sidebar. One that was open keeps its width.
 */
function widenOpeningSidebar(panel: Widget, width: number): void {
  let area = panel;
  while (area.parent && !(area.parent instanceof SplitPanel)) {
    area = area.parent;
  }
  const split = area.parent;
  if (!(split instanceof SplitPanel)) {
    return;
  }
  const index = split.widgets.indexOf(area);
  if (split.relativeSizes()[index] !== 0) {
    return; // It was open.
  }
  // Lay the sidebar out now, so that it is never drawn with the other width.
  MessageLoop.sendMessage(split, Widget.Msg.FitRequest);
  if (area.node.offsetWidth < width) {
    const isFirst = index === 0;
    (split.layout as SplitLayout).moveHandle(
      isFirst ? 0 : index - 1,
      isFirst ? width : split.node.clientWidth - width - split.spacing
    );
    // The next layout begins with the sizes of the last one.
    MessageLoop.sendMessage(split, Widget.Msg.UpdateRequest);
  }
}
