/** The messages between the page and the gateway. Both sides import it; it imports types alone. */
export { API, CODE_KEY, PAGE, PERSON, SOCKET } from './paths.js';
export type { ApiError, RefusalCode } from './errors.js';
export type { SessionBegun, Unlocked } from './session.js';
export type { State } from './state.js';
export type { At, Histogram, RecordsPage, Row } from './rows.js';
export type { RecordDetail } from './record.js';
export type {
  Agents,
  LaneKind,
  ListedRun,
  RunPlaces,
  RunRow,
  RunsPage,
  RunTimeline,
  Spark,
  TimelineItem,
} from './runs.js';
export { MOST_AGAIN } from './runs.js';
export type { Card, CardKind, Hints, Inbox } from './inbox.js';
export { widens } from './acts.js';
export type { Act, Acted } from './acts.js';
export type { PolicyCompared, PolicyFile, PolicyPart, PolicyVersion, PolicyView, RuleRow } from './policy.js';
export type { Coverage, Head, Health, Proof, RawPage } from './health.js';
export { MOST_CREDIT, MOST_GAP, MOST_ROWS } from './socket.js';
export type { ByeCode, GatewayFrame, PageFrame } from './socket.js';
export type { RuleOffer, RuleOffers, RuleWritten } from './rules.js';
export type { LayerChange, LayerDone, LayerPatch, LayerRow, Signs, World, Worlds } from './worlds.js';
