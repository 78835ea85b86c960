// Elements. Whatever a session holds becomes text here, never HTML.

/** An element with attributes (functions listen; `true` sets an empty one) and children. */
function el(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === 'function') {
      made.addEventListener(name, value);
    } else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? '' : String(value));
    }
  }
  made.append(...children.flat().filter(child => child || child === 0));
  return made;
}

const ICONS = {
  first: 'M3 3h2v10H3zM13 3v10L6 8z',
  back: 'M12 3v10L4 8z',
  play: 'M4 2.5v11L13 8z',
  pause: 'M4 3h3v10H4zM9 3h3v10H9z',
  forward: 'M4 3v10l8-5z',
  last: 'M11 3h2v10h-2zM3 3v10l7-5z'
};

function icon(name) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  const shape = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  made.setAttribute('viewBox', '0 0 16 16');
  made.setAttribute('aria-hidden', 'true');
  shape.setAttribute('d', ICONS[name]);
  made.append(shape);
  return made;
}

function chip(text, mood) {
  return el('span', { class: `chip ${mood}` }, text);
}

function outcomeChip(step) {
  const outcome = outcomeOf(step);
  return outcome && chip(...outcome);
}

/** How a row ended, and how its last run did. */
function rowChips(cell, row) {
  const step = cells[cell].steps[row.step];
  const runs = runsOf(cell, row);
  const ran = runs.length ? outcomeOf(runs[runs.length - 1]) : null;
  const times = runs.length > 1 ? ` ×${runs.length}` : '';
  return [step.kind === 'run' ? null : outcomeChip(step), ran && chip(ran[0] + times, ran[1])];
}

/**
 * Code, line by line, with who wrote each. `rows` are those of `diff`, else the lines of `text`;
 * `by` are the origins of the lines of the new text.
 */
function codeBlock(cell, text, by, { rows = null, language, label }) {
  const lines = coloured(text, language);
  const all = rows || lines.map((_, line) => ({ sign: ' ', line }));
  let last = null;
  const drawn = all.map(row => {
    const origin = row.line === undefined ? null : by[row.line];
    const words = origin && originWords(cell, origin);
    const author = origin ? origin.author : 'none';
    // Named once for lines that belong together.
    const name = words && words.short !== last ? words.short : '';
    last = words ? words.short : last;
    const pieces =
      row.line === undefined
        ? [row.text]
        : lines[row.line].map(([piece, kind]) =>
            kind ? el('span', { class: `t-${kind}` }, piece) : piece
          );
    const tag = { '+': 'ins', '-': 'del' }[row.sign] || 'span';
    return el(
      'span',
      { class: `line by-${author}`, title: words?.long },
      el('span', { class: 'who' }, name),
      el('span', { class: 'sign', 'aria-hidden': 'true' }, row.sign.trim()),
      el(tag, { class: 'text' }, ...pieces, '\n')
    );
  });
  return el('pre', { class: 'code', 'aria-label': label }, el('code', null, drawn));
}

/** The change from one text to another. Long stretches without a change are left out. */
function changeBlock(cell, before, after, by, options) {
  const all = diff(before, after);
  const near = new Set();
  all.forEach((row, number) => {
    if (row.sign !== ' ') {
      for (let at = number - 3; at <= number + 3; at++) {
        near.add(at);
      }
    }
  });
  if (!options.short || all.length < 40) {
    return codeBlock(cell, after, by, { ...options, rows: all });
  }
  const rows = all.filter((_, number) => near.has(number));
  return codeBlock(cell, after, by, { ...options, rows });
}

/** What a run printed. */
function outputBlock(run) {
  const output = run?.output;
  if (!run || (!output?.text && !output?.pictures && !run.error)) {
    return null;
  }
  return el(
    'div',
    { class: 'output', role: 'group', 'aria-label': t('Output') },
    run.error && el('p', { class: 'error' }, run.error),
    output?.text &&
      el('pre', null, output.text, output.cut ? ` ${t('… ({0})', t('truncated'))}` : ''),
    (output?.pictures || []).map((name, number) =>
      el('img', { src: story.pictures[name], alt: t('Output image {0}', number + 1) })
    )
  );
}

/** One step in full: what was asked and answered, what changed, what a run of it printed. */
function stepBlock(cell, number, { against = null, short = false, run = null } = {}) {
  const { steps, type } = cells[cell];
  const step = steps[number];
  const before = against === null ? texts[step.was] : texts[steps[against].code];
  const after = texts[step.code];
  const options = { language: type === 'code' ? story.language : '', short };
  const label = t(step.kind === 'turn' ? 'Suggested code' : 'Code');
  const told = [step.kind === 'run' ? null : step.error && el('p', { class: 'error' }, step.error)];
  if (step.kind === 'turn') {
    told.unshift(
      el('h4', null, t('Request')),
      el('blockquote', { class: 'asked' }, step.title)
    );
    if (step.said) {
      told.push(
        el('h4', null, t('Answer')),
        step.answer ? markdownBlock(step.answer) : el('p', { class: 'said' }, step.said)
      );
    }
  }
  // What comes out of nothing is all new: no sign need say so.
  const isSame = before === after;
  const isChange = !isSame && before !== '';
  if (isSame && short) {
    told.push(el('p', { class: 'dull' }, t('No code changes.')));
  } else {
    told.push(
      el('h4', null, label),
      isChange
        ? changeBlock(cell, before, after, origins(step), { ...options, label })
        : codeBlock(cell, after, origins(step), { ...options, label })
    );
  }
  return [...told, outputBlock(run)].filter(Boolean);
}

/** Who, when, by which model, and how it ended. */
function metaLine(cell, row) {
  const step = cells[cell].steps[row.step];
  const sign = { model: '✦ ', person: '✎ ' }[step.author] || '';
  return el(
    'p',
    { class: 'meta' },
    chip(`${sign}${contributorWords(step)}`, step.author),
    el('span', null, time(step.time)),
    step.model && el('span', { class: 'model-name' }, step.model),
    rowChips(cell, row)
  );
}
