/** The complete public surface of @subluminal/worlds: named exports only. */
export { attachCommand, endCommand, readAttached, type Attached } from './enter/attach.js';
export { absentBackend } from './backend/absent.js';
export { BACKENDS, backendNameOf } from './backend/backend.js';
export type { BackendName, CommandEnd, WorldBackend } from './backend/backend.js';
export { LimaBackend } from './backend/lima/lima.js';
export type { Launch } from './enter/launch.js';
export { networkOf, NETWORKS } from './ladder/network.js';
export type { Network } from './ladder/network.js';
export { namedProblem } from './ladder/problems.js';
export { holdsHere } from './kept.js';
export type { KeptLimits, LimitsTold } from './kept.js';
export { guardedIn, madeRemark, madeSince } from './layout/guarded.js';
export type { AgentView, OwnFile } from './layout/agent.js';
export type { Toolchain } from './layout/toolchains.js';
export { worldEnvironment } from './layout/environment.js';
export { openWorld, worldVariables } from './open.js';
export { serveAgain } from './resume.js';
export { worldIdentity } from './layout/user.js';
export type { AskRun, OpenWorld, WorldRequest } from './open.js';
export {
  type AskedProgram,
  hearWorld,
  type ProgramEnd,
  Supervisor,
  type SupervisorHandlers,
  wordsOfProgram,
} from './session/supervisor.js';
export { type ProgramsTold, type StartedProgram, StartedPrograms } from './session/started-programs.js';
export type { WorldTestimony, WorldTold } from './testimony.js';
export { worldView, type WorldView } from './view.js';
