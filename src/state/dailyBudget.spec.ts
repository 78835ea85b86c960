import { NO_USAGE } from '../replay/model/replay.fakes';
import { DailyBudget } from './dailyBudget';

describe('DailyBudget', () => {
  it('reports when today’s requests have cost more, and asks only with a budget', async () => {
    const asked: (Date | undefined)[] = [];
    let cost: number | null = 0.5;
    let limit = 0;
    const usage = async (_: string | null, since?: Date) => {
      asked.push(since);
      return { ...NO_USAGE, cost };
    };
    const budget = new DailyBudget({ usage }, () => limit);
    await budget.update();
    expect(asked).toEqual([]);

    limit = 0.4;
    await budget.update();
    expect(budget.excess).toEqual({ cost: 0.5, limit: 0.4 });
    expect(asked[0]!.getHours()).toBe(0);
    expect(asked[0]!.getTime()).toBeLessThanOrEqual(Date.now());

    cost = null; // No request has a price.
    await budget.update();
    expect(budget.excess).toBeNull();
  });

  it('never makes a request fail', async () => {
    const usage = () => Promise.reject(new Error('offline'));
    const budget = new DailyBudget({ usage }, () => 1);
    await budget.update();
    expect(budget.excess).toBeNull();
  });
});
