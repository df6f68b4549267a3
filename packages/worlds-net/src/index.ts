/** The complete public surface of @subluminal/worlds-net: named exports only. */
export { worldActions } from './actions.js';
export type { WorldActions } from './actions.js';
export { openDoors } from './namespaces/doors.js';
export type { Doors } from './namespaces/doors.js';
export type { WorldConnection, WorldDoor, WorldOwner } from './world.js';
export { Worlds } from './worlds.js';
export type { WorldsParts } from './worlds.js';
