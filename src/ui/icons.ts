/** The icons that several features share. */
import { LabIcon } from '@jupyterlab/ui-components';

/** Draw `path` in a square of 24 units, in the theme's colours. */
export function pathIcon(name: string, path: string): LabIcon {
  const svgstr = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 24 24">
  <path class="jp-icon3 jp-icon-selectable" fill="#616161" d="${path}"/>
</svg>`;
  return new LabIcon({ name: `aiserver:${name}`, svgstr });
}

/** A spark, for asking a model and for changes by a model. */
export const askIcon = new LabIcon({
  name: 'aiserver:ask',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16">' +
    '<path class="jp-icon3 jp-AIServer-icon" fill="#616161" d="M7 1.5c.5 3.7 2.3 5.5 6 6-3.7.5-5.5 ' +
    '2.300-6 6-.5-3.700-2.300-5.500-6-6 3.700-.5 5.500-2.300 6-6zm5.700 8.700c.200 1.400.900 ' +
    '2.100 2.300 2.300-1.400.200-2.100.900-2.300 2.300-.200-1.400-.900-2.100-2.300-2.300 ' +
    '1.400-.200 2.100-.900 2.300-2.300z"/></svg>'
});

/** Lines of text with bars beside them, for the contributor of each line. */
export const blameIcon = pathIcon(
  'blame',
  'M3 4h3v7H3V4Zm0 9h3v7H3v-7Zm6-8h12v2H9V5Zm0 4h8v2H9V9Zm0 5h12v2H9v-2Zm0 4h8v2H9v-2Z'
);
