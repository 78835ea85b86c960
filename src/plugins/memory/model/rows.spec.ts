import { entryOf, proposalOf } from './memory.fakes';
import { Section, listRows } from './rows';

const ENTRIES = [
  entryOf('Use polars'),
  entryOf('Titles: 中文', { section: 'Plots' }),
  entryOf('Upload all data', { review: 'new' }),
  entryOf('Use pandas', { review: 'declined' }),
  entryOf('ＵＳＥ seaborn', { scope: 'person' })
];

function keys(filter = '', closed: Section[] = []): string[] {
  const rows = listRows(
    [proposalOf('A wish', { id: 'p1' })],
    ENTRIES,
    filter,
    new Set(closed)
  );
  return rows.map(row =>
    row.kind === 'section'
      ? `${row.section} ${row.count}`
      : row.kind === 'proposal'
        ? row.proposal.text
        : row.entry.text
  );
}

describe('listRows', () => {
  it('lists each text in its section, those that wait first', () => {
    expect(keys()).toEqual([
      'waiting 1',
      'A wish',
      'new 1',
      'Upload all data',
      'project 2',
      'Use polars',
      'Titles: 中文',
      'person 1',
      'ＵＳＥ seaborn',
      'declined 1',
      'Use pandas'
    ]);
  });

  it('has no rows for sections that are closed or empty', () => {
    expect(keys('', ['project', 'declined'])).toEqual([
      'waiting 1',
      'A wish',
      'new 1',
      'Upload all data',
      'project 2',
      'person 1',
      'ＵＳＥ seaborn',
      'declined 1'
    ]);
    expect(listRows([], [], '', new Set())).toEqual([]);
  });

  it('filters by words and headings, but never hides a text that waits', () => {
    const waiting = ['waiting 1', 'A wish', 'new 1', 'Upload all data'];
    expect(keys('use PAN')).toEqual([...waiting, 'declined 1', 'Use pandas']);
    expect(keys('seaborn use')).toEqual([
      ...waiting,
      'person 1',
      'ＵＳＥ seaborn'
    ]);
    expect(keys('plots 中')).toEqual([...waiting, 'project 1', 'Titles: 中文']);
  });

  it('has different keys for the same id in two memories', () => {
    const id = '0123456789ab';
    const entries = [
      entryOf('x', { id }),
      entryOf('x', { id, scope: 'person' })
    ];
    const rows = listRows([], entries, '', new Set());
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });
});
