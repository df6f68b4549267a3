/** The complete public surface of @subluminal/notify: named exports only. */
export { Notifier } from './notifier.js';
export { startProgram } from './program.js';
