// Who wrote the notebook, and the story of each cell to read from top to bottom.

/** Counts of the report, with their colours and words. */
const SHARES = [
  ['byModel', 'model', '{0} by AI'],
  ['byPerson', 'person', '{0} by hand'],
  ['byAgent', 'agent', '{0} by agents'],
  ['byProgram', 'program', '{0} by programs'],
  ['byUnknown', 'unknown', '{0} of unknown origin'],
  ['existing', 'existing', '{0} existing']
];

function shareBar(row) {
  const bar = el('span', { class: 'share', 'aria-hidden': 'true' });
  for (const [count, name] of SHARES) {
    const part = el('span', { class: `part ${name}` });
    part.style.flexGrow = row[count];
    bar.append(part);
  }
  return bar;
}

function shareWords(row) {
  return row.lines
    ? SHARES.filter(([count]) => row[count])
        .map(([count, , words]) => t(words, percent(row[count], row.lines)))
        .join(t(', '))
    : t('No code yet.');
}

function modelName(id) {
  return t(id);
}

/** A heading and a table of names with their lines; nothing where there are none. */
function namesTable(title, head, rows, all) {
  const row = ([name, lines]) =>
    el(
      'tr',
      null,
      el('th', { scope: 'row' }, modelName(name)),
      el('td', null, lines),
      el('td', null, percent(lines, all))
    );
  return rows.length
    ? [el('h3', null, t(title)), el('table', null, head, el('tbody', null, rows.map(row)))]
    : [];
}

function reportView(onPick) {
  const { total, cells: ofCells } = story.report;
  const numbers = new Map(cells.map((cell, number) => [cell.id, number]));
  const sorted = counts => Object.entries(counts).sort((a, b) => b[1] - a[1]);
  const models = sorted(total.models);
  const head = (...names) =>
    el('thead', null, el('tr', null, names.map(name => el('th', { scope: 'col' }, t(name)))));
  return el(
    'section',
    { class: 'report', 'aria-label': t('Report') },
    el('h2', null, t('Report')),
    el('p', { class: 'big' }, shareWords(total)),
    shareBar(total),
    el(
      'p',
      { class: 'dull' },
      t(
        'Non-blank lines in the current notebook. A line counts as written by AI if it came from an answer and has not been edited since.'
      )
    ),
    ...namesTable('Models', head('Model', 'Lines', 'Share'), models, total.lines),
    ...namesTable(
      'Agents and programs',
      head('Name', 'Lines', 'Share'),
      sorted(total.names),
      total.lines
    ),
    ofCells.length ? el('h3', null, t('Cells')) : null,
    ofCells.length
      ? el(
          'table',
          null,
          head('Cell', 'Lines', 'By AI', 'By hand', 'Other', 'Requests', 'Models', 'Share'),
          el(
            'tbody',
            null,
            ofCells.map((row, place) => {
              const cell = numbers.get(row.cellId);
              const name = t('Cell {0}', place + 1);
              return el(
                'tr',
                null,
                el(
                  'th',
                  { scope: 'row' },
                  el('button', { type: 'button', class: 'pick', click: () => onPick(cell) }, name)
                ),
                el('td', null, row.lines),
                el('td', null, row.byModel),
                el('td', null, row.byPerson),
                el('td', null, row.lines - row.byModel - row.byPerson),
                el('td', null, row.turns),
                el('td', null, Object.keys(row.models).map(modelName).join(t(', '))),
                el('td', { class: 'wide' }, row.lines ? shareBar(row) : null)
              );
            })
          )
        )
      : null
  );
}

/** The story of each cell: what is printed, too. */
function storyView() {
  const now = moments.length - 1;
  return el(
    'section',
    { class: 'story', 'aria-label': t('History') },
    cells.map((cell, number) =>
      el(
        'article',
        { class: 'chapter' },
        el('h2', null, cellName(number, now)),
        cell.rows.length
          ? cell.rows.map((row, place) =>
              el(
                'div',
                { class: `entry by-${cell.steps[row.step].author}` },
                el('h3', null, `${place + 1}. ${titleOf(number, row.step)}`),
                metaLine(number, row),
                stepBlock(number, row.step, { short: true, run: runsOf(number, row).pop() })
              )
            )
          : el('p', { class: 'dull' }, t('This cell has no history.'))
      )
    )
  );
}
