/** The sidebar's widget. Its model is active, and its code is loaded, only once it is visible. */
import type { ITranslator } from '@jupyterlab/translation';
import { Message, MessageLoop } from '@lumino/messaging';
import { SplitLayout, SplitPanel, Widget } from '@lumino/widgets';
import React from 'react';

import { localeFor } from '../../labels/formats';
import { CommandIDs } from '../../tokens';
import { lazyView } from '../../ui/lazy';
import { SidePanel } from '../../ui/sidePanel';
import type { ReplayModel } from '../model/replay';
import { IReplayContext, ReplayContext } from './context';
import { replayIcon } from './icons';

const CLOCK_INTERVAL_MS = 30_000;

/** The width with which the sidebar opens, in pixels. */
const WIDTH = 320;

const ReplayView = lazyView(async () => (await import('./view')).ReplayView);

export class ReplayPanel extends SidePanel<ReplayModel> {
  constructor(
    services: Omit<IReplayContext, 'trans' | 'locale' | 'now'>,
    translator: ITranslator
  ) {
    const { model, commands } = services;
    const trans = translator.load('aiserver');
    super(model, {
      id: 'aiserver-replay',
      className: 'jp-AIServer-Replay',
      label: trans.__('Replay'),
      icon: replayIcon,
      caption: trans.__('Replay: see how each cell was made')
    });
    const locale = localeFor(translator);
    const now = new Date();
    this._context = { ...services, trans, locale, now };
    commands.keyBindingChanged.connect(() => this.update(), this);
    commands.commandChanged.connect((_, { id }) => {
      if (id === CommandIDs.blame || id === CommandIDs.exportReplay) {
        this.update();
      }
    }, this);
    // Don't move the focus any more once the person uses the keyboard.
    this.node.addEventListener(
      'keydown',
      () => (this._isFocusPending = false),
      true
    );
  }

  protected renderContent(): React.JSX.Element {
    return (
      <ReplayContext value={this._context}>
        <ReplayView
          props={{}}
          trans={this._context.trans}
          onLoad={() => this.focusContent()}
        />
      </ReplayContext>
    );
  }

  protected override onAfterShow(msg: Message): void {
    if (!this.wasVisible) {
      widenOpeningSidebar(this, WIDTH);
    }
    super.onAfterShow(msg);
  }

  protected override onActivateRequest(msg: Message): void {
    // Render without delay, because the model's selected tab may not be rendered yet.
    MessageLoop.sendMessage(this, Widget.Msg.UpdateRequest);
    this._isFocusPending = true;
    super.onActivateRequest(msg);
  }

  /**
   * Focus the open form or table of “Ask again”, the slider or the search field; until it is
   * rendered, the selected tab. Do nothing if the person has moved the focus.
   */
  protected focusContent(): void {
    if (!this._isFocusPending) {
      return;
    }
    const find = (selector: string) =>
      this.node.querySelector<HTMLElement>(selector);
    const tab = find('[role="tab"][aria-selected="true"]');
    const { activeElement } = document;
    if (activeElement !== this.node && activeElement !== tab) {
      this._isFocusPending = false;
      return;
    }
    const control =
      find('.jp-AIServer-Replay-again [data-focus]') ??
      find('[role="slider"], input[type="search"]');
    (control ?? tab)?.focus();
    this._isFocusPending = !control;
  }

  protected setActive(isActive: boolean): void {
    if (!isActive) {
      window.clearInterval(this._clock);
      this._clock = undefined;
    } else if (this._clock === undefined) {
      const update = () => this._updateTime();
      this._clock = window.setInterval(update, CLOCK_INTERVAL_MS);
      this._updateTime();
    }
    if (this.model) {
      this.model.isActive = isActive;
    }
  }

  private _updateTime(): void {
    this._context = { ...this._context, now: new Date() };
    this.update();
  }

  private _context: IReplayContext;
  /** The id of the timer that updates the displayed times; undefined while the widget is hidden. */
  private _clock: number | undefined;
  /** Whether `focusContent` must be called again, because the content wasn't rendered yet. */
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
