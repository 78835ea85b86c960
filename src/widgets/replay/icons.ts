/**
 * Icons that JupyterLab does not have. Drawn here, in the colours of the theme.
 */
import { LabIcon } from '@jupyterlab/ui-components';

const svg = (path: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="${path}"/>
</svg>`;

/** A hand of a clock that turns back, over the steps of a cell. */
export const replayIcon = new LabIcon({
  name: 'aiserver:replay',
  svgstr: svg(
    'M12 3a8 8 0 0 0-7.75 6.02L2.4 7.2 1 8.6l4.1 4.1 4.1-4.1-1.4-1.4-1.5 1.5A6 6 0 1 1 8.1 15.6l-1.4 1.42A8 8 0 1 0 12 3Zm-1 3.5v5.2l3.9 2.3.85-1.4-3.05-1.8V6.5H11ZM3.5 20.25a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8.5 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Zm8.5 0a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3Z'
  )
});

export const previousIcon = new LabIcon({
  name: 'aiserver:previous-step',
  svgstr: svg('M6 6h2.2v12H6zm3.8 6L18 6v12z')
});

export const nextIcon = new LabIcon({
  name: 'aiserver:next-step',
  svgstr: svg('M15.8 6H18v12h-2.2zM6 18V6l8.2 6z')
});
