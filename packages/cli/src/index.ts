/** The complete public surface of @subluminal/cli: named exports only. */
export { EXIT, exitCodeOf, type ExitCode } from './program/exit/codes.js';
export { main, type Surroundings } from './program/main.js';
