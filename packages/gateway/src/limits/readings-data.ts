import { type JsonObject, redact } from '@subluminal/core-types';
import type { Readings } from '@subluminal/readings';

/** Longer readings are not kept. */
const MAX_TEXT = 8192;
const OMITTED: JsonObject = Object.freeze({ omitted: true });

/**
 * The objects of a call as its entry holds them, so that the call can be decided again. Readings that look
 * like they hold a secret, or are long, are left out as a whole: a part of them would be another call.
 */
export function readingsData(readings: Readings): JsonObject {
  const { commands, hosts, keys, paths, place, statements, unread } = readings;
  const data: JsonObject = {
    commands: commands.map((one) => ({ ...one })),
    hosts: [...hosts],
    ...(keys === undefined
      ? {}
      : { keys: { ...keys, commands: [...keys.commands], paths: [...keys.paths] } }),
    paths: paths.map((one) => ({ ...one, forms: [...one.forms], climbs: [...one.climbs] })),
    place: { home: place.home, project: place.project ?? null, tmp: place.tmp },
    statements: statements.map((one) => ({ ...one })),
    unread: { ...unread },
  };
  const text = JSON.stringify(data);
  return text.length > MAX_TEXT || redact(text).count > 0 ? OMITTED : data;
}
