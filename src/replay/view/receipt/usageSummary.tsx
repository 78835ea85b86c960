/** The sums of the notebook's requests and of today's requests, above the notebook's timeline. */
import React from 'react';

import { totalsText } from '../../../prompt/usageLabels';
import { useReplay } from '../context';

export function UsageSummary(): React.JSX.Element | null {
  const { model, trans } = useReplay();
  const { notebook, today } = model.usage;
  const text = notebook && totalsText(notebook, trans);
  if (!text) {
    return null;
  }
  const todayText = today && totalsText(today, trans);
  return (
    <p className="jp-AIServer-Replay-receipt">
      <span>{trans.__('This notebook: %1', text)}</span>
      {todayText && (
        <span title={trans.__('All notebooks, since midnight')}>
          {trans.__('Today: %1', todayText)}
        </span>
      )}
    </p>
  );
}
