// One cell: its steps, and the one that is looked at in full.

function panelView(onStep) {
  const title = el('h2', null);
  const slider = el('input', {
    type: 'range',
    min: 0,
    'aria-label': t('Steps of this cell'),
    input: () => onStep(Number(slider.value))
  });
  const compare = el('select', {
    id: 'compare',
    change: () => {
      against = compare.value === '' ? null : Number(compare.value);
      drawStep();
    }
  });
  const compareRow = el('p', { class: 'compare' }, el('label', { for: 'compare' }, t('Compare with')), compare);
  const body = el('div', { class: 'step', role: 'group', tabindex: 0, 'aria-label': t('The step') });
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
    const { steps } = cells[cell];
    list.replaceChildren(
      ...steps.map((one, number) =>
        el(
          'li',
          { class: `by-${one.author}` },
          el(
            'button',
            { type: 'button', click: () => onStep(number) },
            el('span', { class: `dot ${outcomeOf(one)?.[1] || ''}`, 'aria-hidden': 'true' }),
            el('span', { class: 'name' }, titleOf(one, steps)),
            outcomeChip(one)
          )
        )
      )
    );
    compare.replaceChildren(
      el('option', { value: '' }, t('what was there before')),
      ...steps.map((one, number) =>
        el('option', { value: number }, `${number + 1}. ${titleOf(one, steps).slice(0, 60)}`)
      )
    );
    slider.max = Math.max(0, steps.length - 1);
    slider.hidden = compareRow.hidden = steps.length < 2;
  }

  function drawStep() {
    const { steps } = cells[cell];
    const one = steps[step];
    body.replaceChildren(
      ...(one
        ? [
            el('h3', null, titleOf(one, steps)),
            metaLine(one),
            ...stepBlock(cell, step, { against })
          ]
        : [
            el(
              'p',
              { class: 'dull' },
              t(
                steps.length
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
      const { steps } = cells[cell];
      count.textContent = steps.length ? t('Step {0} of {1}', nextStep + 1, steps.length) : '';
      if (nextStep === step) {
        return;
      }
      step = nextStep;
      body.scrollTop = 0;
      against = null;
      compare.value = '';
      slider.value = Math.max(0, step);
      if (steps[step]) {
        slider.setAttribute(
          'aria-valuetext',
          `${t('Step {0} of {1}', step + 1, steps.length)}: ${titleOf(steps[step], steps)}`
        );
      }
      [...list.children].forEach((row, number) => {
        row.firstChild.setAttribute('aria-current', number === step ? 'step' : 'false');
      });
      const current = list.children[step];
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
