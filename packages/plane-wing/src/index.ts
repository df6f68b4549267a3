/** The complete public surface of @subluminal/plane-wing: named exports only. */
export { planeActions } from './actions.js';
export type { PlaneActions } from './actions.js';
export { PLANE_SECTION } from './config.js';
export { Plane } from './plane.js';
export type { PlaneParts } from './plane.js';
