/**
 * The script of the exported page, which `jlpm build:page` bundles and `aiserver/sharing/page.py`
 * puts into each page.
 *
 * Invariants:
 * - The script makes no network requests, and all data that it needs is in the page.
 * - Texts from the notebook's history are inserted as text, never as HTML.
 */
import { pickLocale } from '../../labels/locale';
import { Catalogue, createBundle, pickLanguage } from '../model/language';
import { NotebookReplay } from '../model/replay';
import { App, emptyPage } from './app';
import { PageLabels } from './labels';

/** The translations by language. The exporter writes this constant in front of the script. */
declare const CATALOGUES: Readonly<Record<string, Catalogue>>;

const { languages } = navigator;
const language = pickLanguage(languages, Object.keys(CATALOGUES));
const trans = createBundle(language, CATALOGUES[language] ?? {});
const data = document.getElementById('replay-data')!;
const replay = new NotebookReplay(JSON.parse(data.textContent));
const labels = new PageLabels(replay, trans, pickLocale(language, languages));
const container = document.getElementById('app')!;

document.documentElement.lang = language;
document.title = trans.__('Replay of %1', replay.data.name);
if (replay.lastMoment < 0) {
  container.append(...emptyPage(labels));
} else {
  const app = new App(labels);
  app.attach(container);
  // An address such as `replay.html#3` opens the page at the third moment.
  const moment = Number(location.hash.slice(1)) - 1;
  const isValid = Number.isInteger(moment) && moment >= 0;
  app.goTo(isValid ? moment : replay.lastMoment);
}
