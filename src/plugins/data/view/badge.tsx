/** A short text about a change since the last run, such as “+120 rows”. */
import React from 'react';

import type { IBadge } from './dataLabels';

export function Badge({ text, tone }: IBadge): React.JSX.Element {
  return (
    <span className={`jp-AIServer-Data-badge jp-mod-${tone}`} title={text}>
      {text}
    </span>
  );
}
