/** The complete public surface of @subluminal/ui: named exports only. */
export { uiActions } from './actions.js';
export type { UiActions, UiOperated } from './actions.js';
export { SUB_PROGRAM, SubChildren } from './children/sub-children.js';
export { UI_SECTION } from './config.js';
export { UiDoor } from './door/door.js';
export type { DoorServer } from './door/door.js';
export { ownHost, ownPort } from './door/own-port.js';
export { Peers } from './door/peers.js';
export type { PeerParts } from './door/peers.js';
export { PAGE_FOLDER, readPage } from './files/page-files.js';
export type { PageFile } from './files/page-files.js';
export { Reader } from './reader/reader.js';
export { ruleVerbs } from './rules/rules.js';
export type { RuleVerbs } from './rules/rules.js';
export { UiServing } from './serving.js';
export { Sessions } from './session/sessions.js';
export { layerVerbs } from './worlds/worlds.js';
export type { LayerVerbs } from './worlds/worlds.js';
