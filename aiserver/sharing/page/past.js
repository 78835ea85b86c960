// The story, as the page asks for it. `story.py` tells its shape.

const story = JSON.parse(document.getElementById('story').textContent);
const { cells, moments, texts } = story;

/** The row of cells after each moment, as `[cell, type]`; and which were deleted by then. */
const rows = [];
const goneAt = [];
{
  const follow = (changes, each) => {
    let at = 0;
    let row = [];
    moments.forEach((_, moment) => {
      if (changes[at]?.[0] === moment) {
        row = [...row];
      }
      for (; changes[at]?.[0] === moment; at++) {
        const [, start, cut, put] = changes[at];
        row.splice(start, cut, ...put);
      }
      each.push(row);
    });
  };
  follow(story.orders, rows);
  follow(story.gone, goneAt);
}

/** Of each cell: the moments at which it had a new step, and the moment of each step. */
const stepsAt = cells.map(() => []);
const momentOf = cells.map(() => new Map());
moments.forEach((moment, number) => {
  for (const [cell, step] of moment.steps) {
    stepsAt[cell].push([number, step]);
    momentOf[cell].set(step, number);
  }
});

/** Of each cell: the row of its list that shows a step, by the step's number. */
const rowOf = cells.map(cell => {
  const found = [];
  cell.rows.forEach((row, number) => {
    for (const step of [row.step, row.cut, ...(row.runs || [])]) {
      if (step !== undefined) {
        found[step] = number;
      }
    }
  });
  return found;
});

/** The runs of a row, oldest first. */
function runsOf(cell, row) {
  return (row.runs || []).map(step => cells[cell].steps[step]);
}

/** The newest step of a cell after a moment, by its number; -1 if there was none yet. */
function stepAt(cell, moment) {
  const list = stepsAt[cell];
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][0] <= moment) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low ? list[low - 1][1] : -1;
}

/** The step whose code a cell held after a step; null if it held nothing. */
function holder(cell, step) {
  for (let number = step; number >= 0; number--) {
    if (cells[cell].steps[number].applied) {
      return cells[cell].steps[number];
    }
  }
  return null;
}

/** What a cell held after a step. */
function held(cell, step) {
  const found = holder(cell, step);
  return found ? texts[found.code] : '';
}

/** The last run up to a step of the very code that the cell held after it. */
function lastRun(cell, step) {
  const code = held(cell, step);
  for (let number = step; number >= 0 && held(cell, number) === code; number--) {
    if (cells[cell].steps[number].kind === 'run') {
      return cells[cell].steps[number];
    }
  }
  return null;
}

/** As in `story.py`. */
const AUTHORS = ['person', 'model', 'agent', 'program', 'unknown', 'existing'];

/** Who wrote each line of what a step shows. */
function origins(step) {
  return (step?.by || []).flatMap(([lines, from, author, brought]) => {
    const origin = { step: from, author: AUTHORS[author], brought };
    return Array(lines).fill(origin);
  });
}

/** An origin in words, and the request where there was one. */
function originWords(cell, origin) {
  const [where, number] = origin.brought || [cell, origin.step];
  const from = number === null || number === undefined ? null : cells[where].steps[number];
  const parts = [];
  if (origin.author === 'model' && from?.turn) {
    parts.push(t('AI, request {0}', from.turn));
  } else {
    parts.push(
      origin.step === null
        ? t('not recorded yet')
        : contributorWords({ author: origin.author, name: from?.name })
    );
  }
  if (origin.brought) {
    parts.push(t('from another cell'));
  }
  return {
    short: parts.join(' · '),
    long: [...parts, from?.model, from && time(from.time), origin.author === 'model' && from?.title]
      .filter(Boolean)
      .join('\n')
  };
}

/** What a cell is called at a moment. */
function cellName(cell, moment) {
  const place = (rows[moment] || []).findIndex(([other]) => other === cell);
  if (place >= 0) {
    return t('Cell {0}', place + 1);
  }
  if (goneAt[moment]?.includes(cell)) {
    return t('Deleted cell');
  }
  const came = stepsAt[cell][0];
  if (!came || came[0] > moment) {
    return t('Future cell');
  }
  return t(cells[cell].mergedInto === null ? 'New cell' : 'Merged cell');
}

/** A moment in a line. */
function momentWords(number) {
  const [first] = moments[number].steps;
  if (!first || moments[number].kind === 'order') {
    return t(KINDS.order);
  }
  const [cell, step] = first;
  return `${cellName(cell, number)}: ${titleOf(cell, step)}`;
}
