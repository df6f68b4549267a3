/** The complete public surface of @subluminal/ipc: named exports only. */
export { CanonicalText } from './client/canonical-text.js';
export { connectGateway } from './client/connect-gateway.js';
export type { GatewayClient, RequestOptions } from './client/gateway-client.js';
export { gatewayListens } from './client/listens.js';
export { IsoClock } from './client/iso-clock.js';
export { createRequestIds } from './client/request-ids.js';
export { readCredential } from './credential/key-file.js';
export {
  findTicket,
  makeTicketFolder,
  readTicket,
  removeTicket,
  ticketOfRun,
  ticketPath,
  writeTicket,
} from './credential/ticket.js';
export { namedRuns } from './credential/named-runs.js';
export { type HeldRun, runAmong, runAround, runsNamedBy } from './credential/run-around.js';
export { findTicketOfSession, holdersOfSession } from './credential/session-run.js';
export { credentialOf } from './credential/shape.js';
export { assertWhole, readAsideMark } from './home/aside-mark.js';
export { assertHome, assertOurs, assertSocketPath, hasCode, isMissing } from './home/check.js';
export { byWorldDoor } from './home/world-door.js';
export { namedHomes } from './home/named-homes.js';
export { readOwnText } from './home/own-file.js';
export { assertPrivateFile, assertPrivateFolder, openToAppend } from './home/private.js';
export {
  hasPanicMark,
  MAX_PANIC_REASON,
  readPanicMark,
  writePanicMark,
  type PanicMark,
} from './home/panic-mark.js';
export { readGatewayFile } from './home/gateway-file.js';
export { TurnWriter } from './turn-writer.js';
export { defaultHome, homePaths, type HomePaths } from './home/paths.js';
export { ancestryDoubt } from './process/ancestry.js';
export {
  ancestors,
  commandLine,
  isAlive,
  ownIdentity,
  processIdentity,
  processName,
} from './process/identity.js';
export { readProxyTold, type ProxyTold } from './proxy/told.js';
export { proxyVariables } from './proxy/variables.js';
export { familyOf, UPSTREAM_TOKEN_VARIABLE, upstreamToken } from './process/family.js';
export { readStateHome, writeStateHome } from './home/state-home.js';
export { syncFolder } from './home/sync-folder.js';
export { ciContext, type CiContext } from './workload/ci.js';
export { labelOf } from './workload/label.js';
export { podContext, type PodContext } from './workload/pod.js';
export { readWorldTicket } from './credential/world-ticket.js';
