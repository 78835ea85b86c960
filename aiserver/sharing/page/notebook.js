// The notebook as it was at a moment. Only cells that differ from what is shown are drawn anew.

function notebookView(onPick) {
  const list = el('div', { class: 'cells' });
  const gone = el('details', { class: 'gone' });
  const root = el(
    'section',
    { class: 'notebook', 'aria-label': t('Notebook') },
    list,
    gone
  );
  const drawn = new Map();

  function draw(cell, type, moment, isNew) {
    const step = stepAt(cell, moment);
    const current = step < 0 ? null : cells[cell].steps[step];
    const key = [step, type, isNew].join();
    const known = drawn.get(cell);
    const made = known?.root || el('article', { class: 'cell', 'data-cell': cell });
    if (known?.key !== key) {
      made.replaceChildren(...body(cell, type, step, current, isNew));
      made.classList.toggle('is-new', isNew);
      drawn.set(cell, { root: made, key });
    }
    const name = cellName(cell, moment);
    made.querySelector('.pick').textContent = name;
    return made;
  }

  function body(cell, type, number, step, isNew) {
    const options = { language: type === 'code' ? story.language : '', label: t('Code') };
    const source = number < 0 ? texts[cells[cell].first] : held(cell, number);
    const place = number < 0 ? cells[cell].first : holder(cell, number)?.code;
    const rendered = type === 'markdown' ? story.markdown[place] : null;
    const isChange = isNew && step && texts[step.was] && texts[step.was] !== texts[step.code];
    const run = number < 0 ? null : step.kind === 'run' ? step : lastRun(cell, number);
    return [
      el(
        'header',
        null,
        el('button', { class: 'pick', type: 'button', click: () => onPick(cell) }),
        el('span', { class: 'type' }, t(type)),
        isNew && step ? el('span', { class: 'what' }, titleOf(cell, number)) : null,
        isNew && step ? outcomeChip(step) : null
      ),
      isChange
        ? changeBlock(cell, texts[step.was], texts[step.code], origins(step), options)
        : isNew && step?.kind === 'turn' && !texts[step.was]
          ? codeBlock(cell, texts[step.code], origins(step), options)
          : rendered
            ? markdownBlock(rendered)
            : source
              ? codeBlock(cell, source, number < 0 ? [] : origins(holder(cell, number)), options)
              : el('p', { class: 'dull' }, t('empty')),
      isChange ? null : outputBlock(run)
    ].filter(Boolean);
  }

  return {
    root,
    /** Show a moment, with one cell marked; `isFollowed` brings what changed into view. */
    show(moment, picked, isFollowed) {
      const fresh = new Set(moments[moment].steps.map(([cell]) => cell));
      const now = rows[moment].map(([cell, type]) =>
        draw(cell, type, moment, fresh.has(cell))
      );
      now.forEach((made, place) => {
        if (list.children[place] !== made) {
          list.insertBefore(made, list.children[place] || null);
        }
      });
      while (list.children.length > now.length) {
        list.lastChild.remove();
      }
      root.classList.toggle('is-empty', !now.length);
      list.dataset.empty = t('The notebook was empty.');
      const left = goneAt[moment];
      gone.hidden = !left.length;
      gone.replaceChildren(
        el('summary', null, `${t('Deleted earlier')} (${left.length})`),
        ...left.map(cell => draw(cell, cells[cell].type, moment, fresh.has(cell)))
      );
      if (left.some(cell => fresh.has(cell))) {
        gone.open = true;
      }
      for (const [cell, { root: made }] of drawn) {
        made.classList.toggle('is-picked', cell === picked);
      }
      if (isFollowed && drawn.get(picked)?.root.isConnected) {
        bringIntoView(drawn.get(picked).root);
      }
    }
  };
}

/** Scroll no further than needed, below what sticks to the top. */
function bringIntoView(node) {
  const top = document.querySelector('.top').getBoundingClientRect().bottom;
  const box = node.getBoundingClientRect();
  if (box.top < top || box.top > window.innerHeight - 80) {
    window.scrollBy(0, box.top - top - 12);
  }
}
