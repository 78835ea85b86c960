/** Sets the contributors of events. */
import type { EventBody } from '../../../api/types';
import type { IWriter } from '../../../records/contributor';

/**
 * Set the contributor of an event to the contributor of `writer`. If the contributor isn't known
 * yet, it is set later: the returned list then contains a promise that resolves when it is set.
 * Otherwise, the list is empty.
 */
export function setContributor(
  event: EventBody,
  writer: IWriter
): Promise<void>[] {
  if (writer.pending) {
    return [writer.pending.then(() => void setContributor(event, writer))];
  }
  const { contributor, command, hasCause = true } = writer;
  // If no cause was found, an edit was made by a program. But an event of another type may be an
  // action of the person, such as dragging a cell, so it is recorded without a contributor.
  if (contributor && (event.type === 'edit' || hasCause)) {
    event.contributor = { ...contributor };
    if (command && contributor.kind !== 'person') {
      event.data = { ...event.data, command };
    }
  }
  return [];
}
