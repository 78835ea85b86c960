/**
 * Keeps the keyboard in the prompt row's text field (P48). A used control, a closed menu and clicked
 * text return the focus to it: otherwise the next key would reach the notebook, where “x” cuts the
 * cell. Text typed on a control goes into the field. A list or form that takes the focus keeps it.
 */
const CONTROLS = 'button, summary, [role="tab"]';
/** These elements use the letters typed on them. */
const FIELDS = 'textarea, select, input:not([type="checkbox"])';
/** A person can choose several DataFrames here. */
const LIST = '.jp-AIServer-Ask-picker';

export class RowFocus {
  constructor(
    private readonly _node: HTMLElement,
    private readonly _focusField: () => void
  ) {
    // Clicked or selected text focuses the row, in which shortcuts are disabled.
    _node.tabIndex = -1;
    _node.addEventListener('mousedown', this._onMouseDown);
    _node.addEventListener('click', this._onClick);
    _node.addEventListener('change', this._onChange);
    _node.addEventListener('keydown', this._onKeyDown);
    _node.addEventListener('focusin', event => {
      this._lastFocused = event.target as Element;
    });
    this._removals.observe(_node, {
      attributeFilter: ['disabled'],
      childList: true,
      subtree: true
    });
  }

  dispose(): void {
    this._removals.disconnect();
  }

  /** The field gets the focus after the click, because it may scroll the control away. */
  private readonly _onMouseDown = (event: MouseEvent): void => {
    if (event.button === 0 && (event.target as Element).closest(CONTROLS)) {
      event.preventDefault();
      this._previousFocus = document.activeElement;
    }
  };

  /** After a control was used, focus the field unless another element has the focus. */
  private readonly _onClick = (event: MouseEvent): void => {
    const control = (event.target as Element).closest(CONTROLS);
    const isText = !control && document.getSelection()?.isCollapsed;
    const used = isText ? this._node : control;
    const idle = [document.body, used, this._previousFocus];
    this._previousFocus = null;
    requestAnimationFrame(() => {
      if (idle.includes(document.activeElement)) {
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

  /** Type into the field if another element has the focus. A space presses a control. */
  private readonly _onKeyDown = (event: KeyboardEvent): void => {
    const { ctrlKey, key, metaKey } = event;
    const target = event.target as Element;
    const isText = key.length === 1 && !ctrlKey && !metaKey;
    const isPress = key === ' ' && target !== this._node;
    if (isText && !isPress && !target.matches(FIELDS)) {
      this._focusField();
    }
  };

  private _return(): void {
    if (this._node.isConnected) {
      this._focusField();
    }
  }

  /** Handles controls that are removed or disabled: no other element gets their focus. */
  private readonly _removals = new MutationObserver(() => {
    const isUnusable = (element: Element) =>
      !element.isConnected || element.matches(':disabled');
    const { activeElement, body } = document;
    const isLost = !activeElement || activeElement === body;
    if (
      (isLost || isUnusable(activeElement)) &&
      this._lastFocused &&
      isUnusable(this._lastFocused)
    ) {
      this._return();
    }
  });
  private _previousFocus: Element | null = null;
  private _lastFocused: Element | null = null;
}
