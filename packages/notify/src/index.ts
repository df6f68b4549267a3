/** The complete public surface of @subluminal/notify: named exports only. */
export { DesktopNotices } from './desktop-notices.js';
export { DESKTOP_PLACES, type DesktopPlaces, findDesktop } from './desktop.js';
export { Notifier } from './notifier.js';
export { startProgram } from './program.js';
