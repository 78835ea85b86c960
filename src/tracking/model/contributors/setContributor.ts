/** Sets the contributors of events. */
import type { EventBody } from '../../../api/types';
import type { IWriter } from '../../../records/contributor';

/**
 * Set the contributor of an event, now or once the contributor is known. Return the promises to
 * wait for: none if the contributor was set now.
 */
export function setContributor(
  event: EventBody,
  writer: IWriter
): Promise<void>[] {
  if (writer.pending) {
    return [writer.pending.then(() => void setContributor(event, writer))];
  }
  const { contributor, command, hasCause = true } = writer;
  // An edit without a detected cause is a program's. Any other such event is likely a person's
  // action, such as dragging a cell, so no contributor is set.
  if (contributor && (event.type === 'edit' || hasCause)) {
    event.contributor = { ...contributor };
    if (command && contributor.kind !== 'person') {
      event.data = { ...event.data, command };
    }
  }
  return [];
}
