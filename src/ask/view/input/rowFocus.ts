/**
 * Keeps the keyboard in the prompt row's text field (P48). A control that was used, a menu that was
 * closed, and text that was clicked give the focus back to the field. Otherwise, the next key would
 * reach the notebook, where “x” cuts the cell.
 *
 * A list or a form that takes the focus itself keeps it, as does a control that another one focuses.
 */
import type { IDisposable } from '@lumino/disposable';

const CONTROLS = 'button, summary, [role="tab"]';
/** The list of DataFrames, in which a person can choose several of them. */
const LIST = '.jp-AIServer-Ask-picker';

export class RowFocus implements IDisposable {
  /** `focusField` focuses the text field of the row `node`. */
  constructor(
    private readonly _node: HTMLElement,
    private readonly _focusField: () => void
  ) {
    // Text that was clicked or selected focuses the row, in which shortcuts are disabled.
    _node.tabIndex = -1;
    _node.addEventListener('mousedown', this._onMouseDown);
    _node.addEventListener('click', this._onClick);
    _node.addEventListener('change', this._onChange);
    _node.addEventListener('keydown', this._onKeyDown);
    _node.addEventListener('focusin', this._onFocusIn);
    _node.addEventListener('focusout', this._onFocusOut);
    this._removals.observe(_node, {
      attributeFilter: ['disabled'],
      childList: true,
      subtree: true
    });
  }

  get isDisposed(): boolean {
    return this._isDisposed;
  }

  dispose(): void {
    this._isDisposed = true;
    this._removals.disconnect();
  }

  /** Keep a pressed control from taking the focus. */
  private readonly _onMouseDown = (event: MouseEvent): void => {
    if (event.button === 0 && (event.target as Element).closest(CONTROLS)) {
      event.preventDefault();
      this._focusField();
    }
  };

  /** After a control was used by mouse or keyboard, focus the field unless another element has it. */
  private readonly _onClick = (event: MouseEvent): void => {
    const control = (event.target as Element).closest(CONTROLS);
    const isText = !control && document.getSelection()?.isCollapsed;
    requestAnimationFrame(() => {
      const active = document.activeElement;
      if (
        active === document.body ||
        (control && active === control) ||
        (isText && active === this._node)
      ) {
        this._return();
      }
    });
  };

  private readonly _onChange = (event: Event): void => {
    const target = event.target as Element;
    if (!(target instanceof HTMLTextAreaElement) && !target.closest(LIST)) {
      this._return();
    }
  };

  /** Type into the field if the row itself has the focus. */
  private readonly _onKeyDown = (event: KeyboardEvent): void => {
    const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey;
    if (event.target === this._node && isText) {
      this._focusField();
    }
  };

  private readonly _onFocusIn = (): void => {
    this._hasFocus = true;
  };

  private readonly _onFocusOut = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget) {
      this._hasFocus = this._node.contains(relatedTarget as Node);
    } else {
      // A control that was removed or disabled loses the focus to nobody.
      queueMicrotask(() => {
        this._hasFocus = !this._canFocus(target as Element);
      });
    }
  };

  private _canFocus(element: Element): boolean {
    return element.isConnected && !element.matches(':disabled');
  }

  private _return(): void {
    if (!this._isDisposed && this._node.isConnected) {
      this._focusField();
    }
  }

  private readonly _removals = new MutationObserver(() => {
    const active = document.activeElement;
    const isLost = active === document.body || active?.matches(':disabled');
    if (this._hasFocus && isLost) {
      this._return();
    }
  });
  /** Whether the focus is in the row, or was lost because its element was removed or disabled. */
  private _hasFocus = false;
  private _isDisposed = false;
}
