import { type JsonObject, startOf } from '@subluminal/core-types';
import { type Component, type ContentLine, lineIn, linesIn } from './component.js';
import { readText } from './text.js';

/** The facts of an event besides its times: the same for each of its occurrences. */
export interface Details {
  readonly facts: JsonObject;
  /** Bytes of its JSON, which every occurrence adds to an answer. */
  readonly bytes: number;
}

const MAX_ATTENDEES = 200;
const MAX_TITLE = 1024;
const MAX_DESCRIPTION = 8192;

/** Reads the facts of an event, each text cut to the room of an answer. */
export function detailsOf(event: Component): Details {
  const text = (name: string, max: number): string | null => {
    const line = lineIn(event, name);
    return line === undefined ? null : readText(line.value, max);
  };
  const organizer = lineIn(event, 'ORGANIZER');
  const facts: JsonObject = {
    uid: text('UID', MAX_TITLE),
    title: text('SUMMARY', MAX_TITLE) ?? '',
    location: text('LOCATION', MAX_TITLE),
    description: text('DESCRIPTION', MAX_DESCRIPTION),
    status: text('STATUS', MAX_TITLE)?.toLowerCase() ?? null,
    attendees: linesIn(event, 'ATTENDEE').slice(0, MAX_ATTENDEES).map(personOf),
    organizer: organizer === undefined ? null : personOf(organizer),
  };
  return { facts, bytes: Buffer.byteLength(JSON.stringify(facts)) };
}

function personOf({ value, params }: ContentLine): JsonObject {
  const [name, answer] = [params.get('CN'), params.get('PARTSTAT')];
  return {
    address: startOf(value.replace(/^mailto:/i, ''), 320),
    ...(name === undefined ? {} : { name: startOf(name, 320) }),
    ...(answer === undefined ? {} : { status: startOf(answer.toLowerCase(), 32) }),
  };
}
