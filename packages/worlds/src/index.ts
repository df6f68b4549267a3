/** The complete public surface of @subluminal/worlds: named exports only. */
export type { Launch } from './enter/launch.js';
export { readInit } from './enter/read-init.js';
export { worldEnvironment } from './layout/environment.js';
export { openWorld } from './open.js';
export type { AskRun, OpenWorld, WorldRequest } from './open.js';
