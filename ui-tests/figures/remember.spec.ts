/**
 * The time in which a long request is searched for a text to remember:
 *
 *     cd ui-tests && jlpm figures remember
 *
 * No test: it prints milliseconds of processor time. It needs neither browser nor server.
 */
import { test } from '@playwright/test';

import {
  rememberedClause,
  rememberedText
} from '../../src/ask/model/remember/rememberedText';

/** Texts of 20,000 characters that begin again and again like a clause to remember. */
const TEXTS = [
  'and, but, also, remember '.repeat(800),
  '，并且另外同时'.repeat(2500),
  ' '.repeat(20_000),
  '请'.repeat(20_000)
];

test('processor time for long requests', () => {
  for (const text of TEXTS) {
    const start = process.cpuUsage();
    rememberedText(text);
    rememberedClause(text);
    const { user } = process.cpuUsage(start);
    console.log(`${JSON.stringify(text.slice(0, 8))}: ${user / 1000} ms`);
  }
});
