/** Texts about the tokens, times and costs of requests. */
import type { TranslationBundle } from '@jupyterlab/translation';

import type { TurnReceipt } from '../api/types';
import { countText, durationText, localeOf } from '../labels/formats';
import { removeChineseSpaces } from '../labels/serverText';

/** Sums over answers and summaries; an unknown cost is null. */
export interface IUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: number | null;
  /** The number without a known cost. */
  readonly unpriced: number;
  /** The number without counted tokens. */
  readonly uncounted: number;
}

/** "$1.25"; below ten cents with two significant digits */
export function costText(cost: number, trans: TranslationBundle): string {
  const digits =
    cost > 0 && cost < 0.1
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return cost.toLocaleString(localeOf(trans), {
    style: 'currency',
    currency: 'USD',
    ...digits
  });
}

export function sumReceipts(
  receipts: readonly (TurnReceipt | undefined)[]
): IUsage {
  const sum = (count: (receipt: TurnReceipt) => number | undefined) =>
    receipts.reduce(
      (total, receipt) => total + ((receipt && count(receipt)) ?? 0),
      0
    );
  const unpriced = receipts.filter(
    receipt => receipt?.cost === undefined
  ).length;
  return {
    inputTokens: sum(({ inputTokens }) => inputTokens),
    outputTokens: sum(({ outputTokens }) => outputTokens),
    cost: unpriced < receipts.length ? sum(({ cost }) => cost) : null,
    unpriced,
    uncounted: receipts.filter(
      receipt => !(receipt?.inputTokens && receipt.outputTokens)
    ).length
  };
}

/** “1,250 tokens · $0.02”; empty if no tokens were counted */
export function totalsText(usage: IUsage, trans: TranslationBundle): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  if (!tokens) {
    return '';
  }
  const { cost, unpriced, uncounted } = usage;
  const count = trans.__('%1 tokens', countText(tokens, trans));
  const text = cost === null ? count : `${count} · ${costText(cost, trans)}`;
  return uncounted || (cost !== null && unpriced)
    ? trans.__('at least %1', text)
    : text;
}

/** About one turn, without what isn't stored. */
export function receiptTexts(
  receipt: TurnReceipt,
  trans: TranslationBundle
): string[] {
  const { inputTokens, cachedTokens, outputTokens } = receipt;
  const { firstTokenMs, totalMs, cost } = receipt;
  const texts: string[] = [];
  if (inputTokens !== undefined) {
    const count = countText(inputTokens, trans);
    texts.push(
      cachedTokens
        ? trans.__(
            '%1 tokens read (%2 cached)',
            count,
            countText(cachedTokens, trans)
          )
        : trans.__('%1 tokens read', count)
    );
  }
  if (outputTokens !== undefined) {
    texts.push(trans.__('%1 written', countText(outputTokens, trans)));
  }
  if (totalMs !== undefined) {
    const total = durationText(totalMs, trans);
    texts.push(
      firstTokenMs === undefined
        ? total
        : removeChineseSpaces(
            trans.__(
              '%1, first word after %2',
              total,
              durationText(firstTokenMs, trans)
            )
          )
    );
  }
  if (cost !== undefined) {
    texts.push(costText(cost, trans));
  }
  return texts;
}
