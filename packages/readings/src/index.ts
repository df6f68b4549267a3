/** The complete public surface of @subluminal/readings: named exports only. */
export { hostsInText } from './hosts/in-text.js';
export type { Place } from './paths/normal.js';
export { alsoFrom, marksAbove, placeIn, placeOf } from './paths/place.js';
export { readCall } from './read-call.js';
export type { ReadCall } from './read-call.js';
export { NO_KEYS } from './named-keys.js';
export type { PathReading, Readings } from './readings.js';
export { hasMark, shown } from './shell/marks.js';
