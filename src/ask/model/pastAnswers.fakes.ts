/** A past answer, and a server that returns answers when a spec resolves them. */
import type { PastAnswer, PastAnswerBody } from '../../api/types';
import { PastAnswerSource } from './pastAnswers';

export const ANSWER: PastAnswer = {
  notebook_id: 'other',
  cell_id: 'c9',
  turn_id: 4,
  timestamp: '2026-01-27T10:00:00.000Z',
  model: 'test:model',
  intent: 'bar plot of the mean price by city',
  code: 'df.plot.bar()',
  path: 'work/sales.ipynb'
};

export class FakePastAnswers {
  readonly bodies: PastAnswerBody[] = [];
  isWanted = true;

  readonly source = new PastAnswerSource(
    {
      pastAnswer: body => {
        this.bodies.push(body);
        return new Promise((resolve, reject) => {
          this._waiting.push({ resolve, reject });
        });
      }
    },
    () => this.isWanted
  );

  get asked(): string[] {
    return this.bodies.map(({ intent }) => intent);
  }

  /** The server answers its oldest open request. */
  async answer(result: PastAnswer | null | Error): Promise<void> {
    const { resolve, reject } = this._waiting.shift()!;
    if (result instanceof Error) {
      reject(result);
    } else {
      resolve(result);
    }
    for (let round = 0; round < 5; round++) {
      await Promise.resolve();
    }
  }

  private readonly _waiting: {
    resolve: (answer: PastAnswer | null) => void;
    reject: (reason: Error) => void;
  }[] = [];
}
