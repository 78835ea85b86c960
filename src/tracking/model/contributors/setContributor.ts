/** Set the contributors of events. */
import type { EventBody } from '../../../api/types';
import type { IWriter } from '../../../records/contributor';

/** Set the contributor of an event once it is known; returns promises to wait for. */
export function setContributor(
  event: EventBody,
  writer: IWriter
): Promise<void>[] {
  if (writer.pending) {
    return [writer.pending.then(() => void setContributor(event, writer))];
  }
  const { contributor, command, isExplained = true } = writer;
  // An unexplained move is a drag by a person.
  if (contributor && (event.type === 'edit' || isExplained)) {
    event.contributor = { ...contributor };
    if (command && contributor.kind !== 'person') {
      event.data = { ...event.data, command };
    }
  }
  return [];
}
