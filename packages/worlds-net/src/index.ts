/** The complete public surface of @subluminal/worlds-net: named exports only. */
export { worldActions } from './actions.js';
export type { WorldActions } from './actions.js';
export { WORLD_SECTION } from './config.js';
export type { Doors, OwnNamespace } from './doors.js';
export { worldFiles } from './kept/world-files.js';
export type { WorldStore } from './kept/world-files.js';
export { layerActions } from './layers/actions.js';
export type { LayerActions } from './layers/actions.js';
export { openNamedDoor } from './named/door.js';
export { openDoors, takeOverDoors } from './namespaces/doors.js';
export type { WorldConnection, WorldDoor, WorldOwner } from './world.js';
export { Worlds } from './worlds.js';
export type { LossCause, WorldsParts } from './worlds.js';
