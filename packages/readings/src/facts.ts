/** The facts that readings are, without what reads them: for a process that decides and reads nothing. */
export type { Access } from './effects/touch.js';
export { isUsualKey, keptKeys, NO_KEYS, unitedKeys } from './named-keys.js';
export type { KeptKeys, NamedKeys } from './named-keys.js';
export type { NamedEffects, NamedPrograms } from './effects/named.js';
export type { CommandReading, PathReading, Readings, StatementReading } from './readings.js';
export { tellingLookAlikes } from './look-alikes.js';
export { objectText } from './object-text.js';
export { hasMark, HOLE, isUnknown, ONE, shown, STAR } from './shell/marks.js';
