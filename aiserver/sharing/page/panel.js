// One cell: its steps, and the one that is looked at in full.

function panelView(onRow) {
  const title = el('h2', null);
  const slider = el('input', {
    type: 'range',
    min: 0,
    'aria-label': t('Steps of this cell'),
    input: () => onRow(Number(slider.value))
  });
  const compare = el('select', {
    id: 'compare',
    change: () => {
      against = compare.value === '' ? null : Number(compare.value);
      drawStep();
    }
  });
  const compareRow = el('p', { class: 'compare' }, el('label', { for: 'compare' }, t('Compare with')), compare);
  const body = el('div', { class: 'step', role: 'group', tabindex: 0, 'aria-label': t('Step') });
  const list = el('ol', { class: 'steps', 'aria-label': t('Steps of this cell') });
  const count = el('span', { class: 'count' });
  const root = el(
    'aside',
    { class: 'panel', 'aria-label': t('Cell') },
    el('div', { class: 'panel-head' }, title, count),
    slider,
    body,
    compareRow,
    list
  );
  let cell = -1;
  let step = -1;
  let against = null;

  function drawList() {
    const { rows, steps } = cells[cell];
    list.replaceChildren(
      ...rows.map((row, number) =>
        el(
          'li',
          { class: `by-${steps[row.step].author}` },
          el(
            'button',
            { type: 'button', click: () => onRow(number) },
            el('span', {
              class: `dot ${outcomeOf(steps[row.step])?.[1] || ''}`,
              'aria-hidden': 'true'
            }),
            el('span', { class: 'name' }, titleOf(cell, row.step)),
            rowChips(cell, row).at(-1) || rowChips(cell, row)[0]
          )
        )
      )
    );
    compare.replaceChildren(
      el('option', { value: '' }, t('previous version')),
      ...rows.map((row, number) =>
        el(
          'option',
          { value: row.step },
          `${number + 1}. ${titleOf(cell, row.step).slice(0, 60)}`
        )
      )
    );
    slider.max = Math.max(0, rows.length - 1);
    slider.hidden = compareRow.hidden = rows.length < 2;
  }

  function drawStep() {
    const { rows, steps } = cells[cell];
    const row = rows[rowOf[cell][step]];
    // The run at this moment, else the last one.
    const run = row && (steps[step].kind === 'run' ? steps[step] : runsOf(cell, row).pop());
    body.replaceChildren(
      ...(row
        ? [
            el('h3', null, titleOf(cell, row.step)),
            metaLine(cell, row),
            ...stepBlock(cell, row.step, { against, run })
          ]
        : [
            el(
              'p',
              { class: 'dull' },
              t(
                rows.length
                  ? 'This cell had no history yet.'
                  : 'No history of this cell.'
              )
            )
          ])
    );
  }

  return {
    root,
    show(nextCell, nextStep, moment) {
      if (nextCell !== cell) {
        cell = nextCell;
        step = -2;
        drawList();
      }
      title.textContent = cellName(cell, moment);
      const { rows } = cells[cell];
      const number = rowOf[cell][nextStep] ?? -1;
      const place = t('Step {0} of {1}', number + 1, rows.length);
      count.textContent = rows.length ? place : '';
      if (nextStep === step) {
        return;
      }
      step = nextStep;
      body.scrollTop = 0;
      against = null;
      compare.value = '';
      slider.value = Math.max(0, number);
      if (rows[number]) {
        const title = titleOf(cell, rows[number].step);
        slider.setAttribute('aria-valuetext', `${place}: ${title}`);
      }
      [...list.children].forEach((row, each) => {
        row.firstChild.setAttribute('aria-current', each === number ? 'step' : 'false');
      });
      const current = list.children[number];
      if (current) {
        const low = current.offsetTop - list.offsetTop;
        if (low < list.scrollTop || low > list.scrollTop + list.clientHeight - 30) {
          list.scrollTop = low - 40;
        }
      }
      drawStep();
    }
  };
}
