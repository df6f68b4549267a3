/** The complete public surface of @subluminal/readings: named exports only. */
export type { Access } from './effects/touch.js';
export { hostsInText } from './hosts/in-text.js';
export { normalPath } from './paths/normal.js';
export type { Place } from './paths/normal.js';
export { alsoFrom, marksAbove, placeIn, placeOf } from './paths/place.js';
export { readCall } from './read-call.js';
export type { ReadCall } from './read-call.js';
export { NO_KEYS, unitedKeys } from './named-keys.js';
export type { KeptKeys, NamedKeys } from './named-keys.js';
export type { NamedEffects, NamedPrograms } from './effects/named.js';
export type { CommandReading, PathReading, Readings, StatementReading } from './readings.js';
export { hasMark, HOLE, isUnknown, ONE, shown, STAR } from './shell/marks.js';
export { readCommand } from './shell/read-command.js';
export type { CommandList } from './shell/read-command.js';
export { readSql } from './sql/statements.js';
export type { SqlReading, Statement } from './sql/statements.js';
