/**
 * The icon of asking: a spark.
 */
import { LabIcon } from '@jupyterlab/ui-components';

export const askIcon = new LabIcon({
  name: 'aiserver:ask',
  svgstr:
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" width="16">' +
    '<path class="jp-icon3 jp-AIServer-icon" fill="#616161" d="M7 1.5c.5 3.7 2.3 5.5 6 6-3.7.5-5.5 ' +
    '2.300-6 6-.5-3.700-2.300-5.500-6-6 3.700-.5 5.500-2.300 6-6zm5.700 8.700c.200 1.400.900 ' +
    '2.100 2.300 2.300-1.400.200-2.100.900-2.300 2.300-.200-1.400-.900-2.100-2.300-2.300 ' +
    '1.400-.200 2.100-.900 2.300-2.300z"/></svg>'
});
