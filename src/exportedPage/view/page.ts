/**
 * The script of the exported page, which `jlpm build:page` bundles and `aiserver/sharing/page.py`
 * puts into each page.
 *
 * Invariants: it makes no requests and needs nothing but its page. Contents of sessions are
 * inserted as text only (P12).
 */
import { pickLocale } from '../../labels/locale';
import { Catalogue, createBundle, pickLanguage } from '../model/language';
import { NotebookReplay } from '../model/replay';
import { App, emptyPage } from './app';
import { PageLabels } from './labels';

/** The translations, by language; written in front of this script. */
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
  const moment = Number(location.hash.slice(1)) - 1;
  const isMoment = Number.isInteger(moment) && moment >= 0;
  app.goTo(isMoment ? moment : replay.lastMoment);
}
