/** The complete public surface of @subluminal/away: named exports only. */
export { composeAway } from './compose.js';
export { handingSnapshots, spoolIngest, tellingOfTools } from './actions.js';
