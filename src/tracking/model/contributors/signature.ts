/** Puts contributors on events. */
import type { EventBody } from '../../../api/types';
import type { IWriter } from '../../../records/contributor';

/** Put the contributor on an event, as soon as it is known; returns what is to be waited for. */
export function sign(told: EventBody, writer: IWriter): Promise<void>[] {
  if (writer.settled) {
    return [writer.settled.then(() => void sign(told, writer))];
  }
  const { contributor, command, isExplained = true } = writer;
  // A move that nothing names was a person's mouse.
  if (contributor && (told.type === 'edit' || isExplained)) {
    told.contributor = { ...contributor };
    if (command && contributor.kind !== 'person') {
      told.data = { ...told.data, command };
    }
  }
  return [];
}
