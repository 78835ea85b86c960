/** The rows of the view's list: sections with proposals and entries. Pure. */
import type { MemoryEntry, MemoryProposal } from '../../../api/types';
import { entryName } from '../../../prompt/memoryItem';

/** In their order. The first two wait for the person. */
export const SECTIONS = [
  'waiting',
  'new',
  'project',
  'person',
  'declined'
] as const;
export type Section = (typeof SECTIONS)[number];

export type IRow = { readonly key: string } & (
  | {
      readonly kind: 'section';
      readonly section: Section;
      readonly count: number;
      readonly isOpen: boolean;
    }
  | { readonly kind: 'proposal'; readonly proposal: MemoryProposal }
  | {
      readonly kind: 'entry';
      readonly section: Section;
      readonly entry: MemoryEntry;
    }
);

export function sectionOf({ scope, review }: MemoryEntry): Section {
  return scope === 'person' || review === 'used' || !review ? scope : review;
}

/**
 * Sections without content are left out. The filter applies to all entries but new ones: each of its
 * words must occur in an entry's text or heading.
 */
export function listRows(
  proposals: readonly MemoryProposal[],
  entries: readonly MemoryEntry[],
  filter: string,
  closed: ReadonlySet<Section>
): IRow[] {
  const words = fold(filter).split(/\s+/).filter(Boolean);
  const isListed = (entry: MemoryEntry) => {
    const text = fold(`${entry.section} ${entry.text}`);
    return words.every(word => text.includes(word));
  };
  return SECTIONS.flatMap(section => {
    const rows: IRow[] =
      section === 'waiting'
        ? proposals.map(proposal => {
            return { kind: 'proposal', key: proposal.id, proposal };
          })
        : entries
            .filter(entry => sectionOf(entry) === section)
            .filter(entry => section === 'new' || isListed(entry))
            .map(entry => {
              return { kind: 'entry', key: entryName(entry), section, entry };
            });
    const isOpen = !closed.has(section);
    const count = rows.length;
    const head: IRow = {
      kind: 'section',
      key: section,
      section,
      count,
      isOpen
    };
    return count ? [head, ...(isOpen ? rows : [])] : [];
  });
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
