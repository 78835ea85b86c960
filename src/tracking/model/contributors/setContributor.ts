/** Sets the contributors of events. */
import type { EventBody } from '../../../api/types';
import type { IWriter } from '../../../records/contributor';

/**
 * Set the contributor of an event to the contributor of `writer`. If this contributor isn't known
 * yet, set it as soon as it has been detected.
 *
 * @returns A list with a promise that resolves when the contributor is set; an empty list if the
 * contributor was set without delay, or if the writer has none.
 */
export function setContributor(
  event: EventBody,
  writer: IWriter
): Promise<void>[] {
  if (writer.pending) {
    return [writer.pending.then(() => void setContributor(event, writer))];
  }
  const { contributor, command, hasCause = true } = writer;
  // An edit whose cause wasn't found was made by a program. But another event whose cause wasn't
  // found may be an action of the person, such as dragging a cell. So it gets no contributor.
  if (contributor && (event.type === 'edit' || hasCause)) {
    event.contributor = { ...contributor };
    if (command && contributor.kind !== 'person') {
      event.data = { ...event.data, command };
    }
  }
  return [];
}
