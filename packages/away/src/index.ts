/** The complete public surface of @subluminal/away: named exports only. */
export type { AwayParts } from './actions.js';
export { composeAway } from './compose.js';
export type { SpoolSweep } from './sweep.js';
export { handingSnapshots, spoolIngest, tellingOfTools } from './actions.js';
