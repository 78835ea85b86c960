/** The width with which the sidebar opens. */
import { MessageLoop } from '@lumino/messaging';
import { SplitLayout, SplitPanel, Widget } from '@lumino/widgets';

/**
 * Make the sidebar of `panel` at least `width` wide, if showing the panel has just opened it:
 * JupyterLab forgets the width of a closed sidebar. One that was open keeps its width.
 */
export function widenOpeningSidebar(panel: Widget, width: number): void {
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
