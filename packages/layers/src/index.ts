/** The complete public surface of @subluminal/layers: named exports only. */
export type { Change, Diff, FileState, How, Kind } from './diff/change.js';
export { bytePath, type BytePath, bytesOf, pathOfText, shown } from './files/byte-path.js';
