/**
 * The prompt row below a cell's code, as a widget.
 *
 * Invariants: JupyterLab's shortcuts are disabled, because Shift+Enter would run the cell. The row
 * gives the focus back to its text field (P48).
 */
import { ReactWidget } from '@jupyterlab/ui-components';
import * as React from 'react';

import type { GenerationModel } from '../model/generation';
import {
  IFocusRequest,
  focusAtEnd,
  insertWord,
  replaceText
} from './input/promptInput';
import { Prompt } from './prompt';
import { suppressShortcuts } from '../../ui/focus';
import type { IPromptRowServices } from './row';
import { RowFocus } from './input/rowFocus';

export class PromptRow extends ReactWidget {
  constructor(
    readonly model: GenerationModel,
    private readonly _services: IPromptRowServices
  ) {
    super();
    const { trans } = _services;
    this.addClass('jp-AIServer-Ask');
    suppressShortcuts(this.node);
    this.node.setAttribute('role', 'group');
    this.node.setAttribute('aria-label', trans.__('Ask for code'));
    // Clicks in the row must not reach the notebook.
    for (const type of ['mousedown', 'dblclick', 'contextmenu']) {
      this.node.addEventListener(type, event => event.stopPropagation());
    }
    this._rowFocus = new RowFocus(this.node, () => this.focus());
    // With `this`, Lumino disconnects the method when the row is disposed of. `model` may exist much
    // longer.
    model.changed.connect(this.update, this);
  }

  override dispose(): void {
    this._rowFocus.dispose();
    super.dispose();
  }

  focus(): void {
    const field = this.node.querySelector('textarea');
    this._focusRequest.focus = !field;
    focusAtEnd(field);
  }

  setText(text: string): void {
    const field = this.node.querySelector('textarea');
    if (field) {
      replaceText(field, text, 0, field.value.length);
    } else {
      this.model.inputText = text; // The field starts with this text when it is mounted.
    }
  }

  insertText(text: string): void {
    const { inputText, state } = this.model;
    const field = this.node.querySelector('textarea');
    // A field that is mounted later starts with this text.
    this.model.inputText = insertWord(field, inputText || state.draft, text);
  }

  get hasFocus(): boolean {
    return this.node.contains(document.activeElement);
  }

  pickDataFrames(isPicking: boolean): void {
    this._isPicking = isPicking;
    this.update();
    if (!isPicking) {
      this.focus();
    }
  }

  protected override render(): React.JSX.Element {
    return (
      <Prompt
        model={this.model}
        services={this._services}
        isPicking={this._isPicking}
        setPicking={isPicking => this.pickDataFrames(isPicking)}
        focus={() => this.focus()}
        focusRequest={this._focusRequest}
      />
    );
  }

  private _isPicking = false;
  private readonly _rowFocus: RowFocus;
  private readonly _focusRequest: IFocusRequest = { focus: false };
}
