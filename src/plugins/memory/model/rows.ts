/** The rows of the view's list: sections with proposals and entries. Pure. */
import type { MemoryEntry, MemoryProposal } from '../../../api/types';

/** The sections in their order. The first two wait for the person. */
export const SECTIONS = [
  'waiting',
  'new',
  'project',
  'person',
  'declined'
] as const;
export type Section = (typeof SECTIONS)[number];

export type IRow =
  | {
      readonly kind: 'section';
      readonly key: string;
      readonly section: Section;
      readonly count: number;
      readonly isOpen: boolean;
    }
  | {
      readonly kind: 'proposal';
      readonly key: string;
      readonly proposal: MemoryProposal;
    }
  | {
      readonly kind: 'entry';
      readonly key: string;
      readonly section: Section;
      readonly entry: MemoryEntry;
    };

/** Return the key of an entry. The ids of two scopes can be the same. */
export function entryKey({
  scope,
  id
}: Pick<MemoryEntry, 'scope' | 'id'>): string {
  return `${scope}/${id}`;
}

export function sectionOf({ scope, review }: MemoryEntry): Section {
  return scope === 'person' || review === 'used' || !review ? scope : review;
}

/**
 * Return the rows. Sections without content are left out. The filter applies to all entries but new
 * ones: each of its words must occur in an entry's text or heading.
 */
export function listRows(
  proposals: readonly MemoryProposal[],
  entries: readonly MemoryEntry[],
  filter: string,
  closed: ReadonlySet<Section>
): IRow[] {
  const words = fold(filter).split(/\s+/).filter(Boolean);
  const bySection = new Map<Section, MemoryEntry[]>(
    SECTIONS.map(section => [section, []])
  );
  for (const entry of entries) {
    const section = sectionOf(entry);
    const text = fold(`${entry.section} ${entry.text}`);
    if (section === 'new' || words.every(word => text.includes(word))) {
      bySection.get(section)!.push(entry);
    }
  }
  return SECTIONS.flatMap(section => {
    const rows: IRow[] =
      section === 'waiting'
        ? proposals.map(proposal => ({
            kind: 'proposal',
            key: proposal.id,
            proposal
          }))
        : bySection.get(section)!.map(entry => ({
            kind: 'entry',
            key: entryKey(entry),
            section,
            entry
          }));
    const isOpen = !closed.has(section);
    const head: IRow = {
      kind: 'section',
      key: section,
      section,
      count: rows.length,
      isOpen
    };
    return rows.length ? [head, ...(isOpen ? rows : [])] : [];
  });
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
