// The page as a whole: where in time it is, and everything that moves it.

const VIEWS = ['Notebook', 'History', 'Report'];
const SPEEDS = [0.5, 1, 2, 4, 8];
const last = moments.length - 1;
const state = { moment: -1, cell: -1, step: -1, view: 0, timer: null };

const notebook = notebookView(cell => go(state.moment, cell));
const panel = panelView(goToRow);
const built = [null, null, null];
const box = el('div', { id: 'view', role: 'tabpanel' });
const main = el('main', null, box);

function iconButton(name, label, click) {
  return el(
    'button',
    { type: 'button', class: 'icon', 'aria-label': label, title: label, click },
    icon(name)
  );
}

const slider = el('input', {
  type: 'range',
  class: 'time',
  min: 0,
  max: Math.max(0, last),
  'aria-label': t('Notebook timeline'),
  input: () => go(Number(slider.value))
});
const caption = el('p', { class: 'caption', 'aria-live': 'polite' });
const playButton = iconButton('play', t('Play'), () => play(state.timer === null));
const speed = el(
  'select',
  { 'aria-label': t('Speed'), title: t('Speed') },
  SPEEDS.map(value => el('option', { value, selected: value === 1 }, `${value}×`))
);
const blameButton = el(
  'button',
  { type: 'button', 'aria-pressed': 'false', click: toggleBlame },
  t('Authorship')
);
const keysButton = el('button', { type: 'button', click: () => keys.showModal() }, t('Shortcuts'));
const tabs = VIEWS.map((name, number) =>
  el(
    'button',
    { type: 'button', role: 'tab', id: `tab-${number}`, 'aria-controls': 'view', click: () => view(number) },
    t(name)
  )
);

const keys = el(
  'dialog',
  { 'aria-label': t('Keyboard shortcuts') },
  el('h2', null, t('Keyboard shortcuts')),
  el(
    'dl',
    null,
    [
      ['← →', 'previous or next change'],
      ['Shift ← →', 'previous or next step of the cell'],
      ['Home End', 'first or last change'],
      [t('Space'), 'play or pause'],
      ['B', 'show authorship'],
      ['1 2 3', 'switch views'],
      ['?', 'show this list']
    ].map(([key, what]) => [el('dt', null, el('kbd', null, key)), el('dd', null, t(what))])
  ),
  el('button', { type: 'button', click: () => keys.close() }, t('Close'))
);

/** How much happened when, and whether the AI, a hand or something else did it. */
function heat() {
  const most = Math.min(160, moments.length);
  const strip = el('div', { class: 'heat', 'aria-hidden': 'true' });
  const buckets = Array.from({ length: most }, () => [0, 0, 0]);
  moments.forEach((moment, number) => {
    const [first] = moment.steps;
    const author = first && cells[first[0]].steps[first[1]].author;
    const which = author === 'model' ? 0 : !author || author === 'person' ? 1 : 2;
    buckets[Math.floor((number * most) / moments.length)][which]++;
  });
  const tallest = Math.max(1, ...buckets.map(([a, b, c]) => a + b + c));
  for (const counts of buckets) {
    const bar = el('span', { class: 'bar' });
    ['model', 'person', 'other'].forEach((name, which) => {
      const part = el('span', { class: name });
      part.style.height = `${(100 * counts[which]) / tallest}%`;
      bar.append(part);
    });
    strip.append(bar);
  }
  return strip;
}

/** Go to a moment; the cell that is looked at is the one of that moment, unless it is named. */
function go(moment, cell = null, step = null) {
  moment = Math.max(0, Math.min(last, moment));
  const isMove = moment !== state.moment;
  const first = moments[moment].steps[0];
  const named = cell ?? (first ? first[0] : state.cell >= 0 ? state.cell : 0);
  Object.assign(state, { moment, cell: named, step: step ?? stepAt(named, moment) });
  notebook.show(moment, named, isMove && state.view === 0);
  if (cells.length) {
    panel.show(named, state.step, moment);
  }
  slider.value = moment;
  const place = t('Change {0} of {1}', moment + 1, moments.length);
  slider.setAttribute('aria-valuetext', `${place}: ${momentWords(moment)}`);
  caption.replaceChildren(
    el('strong', null, momentWords(moment)),
    el('span', null, `${place} · ${time(moments[moment].time)}`),
    moments[moment].saved ? chip(t('saved'), 'dull') : ''
  );
  try {
    history.replaceState(null, '', `#${moment + 1}`);
  } catch {
    // Some readers of mail allow no addresses of their own.
  }
}

/** Go to a row of the cell that is looked at, and to its moment, if it has one here. */
function goToRow(number) {
  const { rows } = cells[state.cell];
  const row = rows[Math.max(0, Math.min(rows.length - 1, number))];
  if (row) {
    const { step } = row;
    go(momentOf[state.cell].get(step) ?? state.moment, state.cell, step);
  }
}

function play(on) {
  clearTimeout(state.timer);
  state.timer = null;
  const label = t(on ? 'Pause' : 'Play');
  playButton.setAttribute('aria-label', label);
  playButton.title = label;
  playButton.replaceChildren(icon(on ? 'pause' : 'play'));
  caption.setAttribute('aria-live', on ? 'off' : 'polite');
  if (on) {
    if (state.moment === last) {
      go(0);
    }
    const tick = () => {
      go(state.moment + 1);
      if (state.moment < last) {
        state.timer = setTimeout(tick, 1200 / speed.value);
      } else {
        play(false);
      }
    };
    state.timer = setTimeout(tick, 1200 / speed.value);
  }
}

function toggleBlame() {
  const on = document.body.classList.toggle('with-names');
  blameButton.setAttribute('aria-pressed', String(on));
}

function makeView(number) {
  built[number] ??= [
    () => el('div', { class: 'two' }, notebook.root, panel.root),
    storyView,
    () => reportView(cell => (view(0), go(last, cell)))
  ][number]();
  return built[number];
}

function view(number) {
  state.view = number;
  document.body.dataset.view = number;
  tabs.forEach((tab, place) => {
    tab.setAttribute('aria-selected', String(place === number));
    tab.tabIndex = place === number ? 0 : -1;
  });
  box.setAttribute('aria-labelledby', `tab-${number}`);
  box.replaceChildren(makeView(number));
}

function onKey(event) {
  const { key, target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || keys.open) {
    return;
  }
  if (target.role === 'tab' && (key === 'ArrowLeft' || key === 'ArrowRight')) {
    const next = (state.view + (key === 'ArrowRight' ? 1 : VIEWS.length - 1)) % VIEWS.length;
    view(next);
    tabs[next].focus();
    event.preventDefault();
    return;
  }
  const isField = target.closest('input, select, textarea');
  const isPressed = target.closest('button, summary, a');
  const actions = {
    ' ': () => !isPressed && !target.closest('select') && play(state.timer === null),
    b: toggleBlame,
    '?': () => keys.showModal(),
    1: () => view(0),
    2: () => view(1),
    3: () => view(2)
  };
  if (event.shiftKey && (key === 'ArrowLeft' || key === 'ArrowRight')) {
    const row = rowOf[state.cell][state.step] ?? -1;
    goToRow(row + (key === 'ArrowRight' ? 1 : -1));
  } else if (!isField && (key === 'ArrowLeft' || key === 'ArrowRight')) {
    play(false);
    go(state.moment + (key === 'ArrowRight' ? 1 : -1));
  } else if (!isField && (key === 'Home' || key === 'End')) {
    go(key === 'Home' ? 0 : last);
  } else if (actions[key.toLowerCase()]) {
    if (actions[key.toLowerCase()]() === false) {
      return;
    }
  } else {
    return;
  }
  event.preventDefault();
}

function summary() {
  const { total } = story.report;
  const there = rows[last].length;
  const gone = goneAt[last].length;
  return [
    [countOf(there, '{0} cell', '{0} cells'), gone && t('{0} deleted', gone)].filter(Boolean).join(t(', ')),
    countOf(
      cells.reduce((n, cell) => n + cell.steps.filter(s => s.turn).length, 0),
      '{0} request',
      '{0} requests'
    ),
    countOf(moments.length, '{0} change', '{0} changes'),
    total.lines ? t('{0} written by AI', percent(total.byModel, total.lines)) : null,
    `${time(moments[0].time)} – ${time(moments[last].time)}`
  ]
    .filter(Boolean)
    .join(' · ');
}

const app = document.getElementById('app');
document.title = t('Replay of {0}', story.name);
const heading = el('h1', null, story.name);
const foot = el(
  'footer',
  null,
  t('Made with AI Server. This file is self-contained and makes no network requests.')
);
if (last < 0) {
  app.append(
    el('header', { class: 'top' }, heading),
    el(
      'main',
      { class: 'nothing' },
      el('p', { class: 'big' }, t('This notebook has no history.')),
      el('p', null, t('Ask for code in one of its cells, then export it again.'))
    ),
    foot
  );
} else {
  app.append(
    el('div', { class: 'intro' }, heading, el('p', { class: 'dull' }, summary())),
    el(
      'header',
      { class: 'top' },
      el(
        'div',
        { class: 'bar-row' },
        el('div', { role: 'tablist', 'aria-label': t('Views'), class: 'tabs' }, tabs),
        el('span', { class: 'grow' }),
        blameButton,
        keysButton
      ),
      el(
        'div',
        { class: 'player' },
        el(
          'div',
          { class: 'buttons' },
          iconButton('first', t('First change'), () => go(0)),
          iconButton('back', t('Previous change'), () => go(state.moment - 1)),
          playButton,
          iconButton('forward', t('Next change'), () => go(state.moment + 1)),
          iconButton('last', t('Last change'), () => go(last)),
          speed
        ),
        el('div', { class: 'track' }, heat(), slider),
        caption
      )
    ),
    el('div', { class: 'body' }, main),
    foot,
    keys
  );
  // Where nothing else is asked for: the cell that changed last.
  const newest = moments.findLast(moment => moment.steps.length);
  state.cell = newest ? newest.steps[0][0] : 0;
  view(0);
  const asked = Number(location.hash.slice(1));
  go(Number.isInteger(asked) && asked > 0 ? asked - 1 : last);
  document.addEventListener('keydown', onKey);
  window.addEventListener('beforeprint', () => main.after(printed()));
  window.addEventListener('afterprint', () => document.querySelector('.printed')?.remove());
}

/** What goes on paper: who wrote it, and the whole story. */
function printed() {
  return el('div', { class: 'printed' }, reportView(() => {}), storyView());
}
