import { createHash } from 'node:crypto';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';

/** Where everything of one home stands. All files are 0600 in 0700 folders. */
export interface HomePaths {
  readonly home: string;
  /** The gateway's unix socket; on Windows the name of its pipe, which is bound to this home by a hash. */
  readonly socket: string;
  readonly ledgerDb: string;
  readonly gatewayDb: string;
  readonly config: string;
  readonly policy: string;
  /** The state folder of whoever made the home, where it is not the usual one. */
  readonly stateHome: string;
  readonly keysDir: string;
  readonly operatorKey: string;
  readonly enrolKey: string;
  /** The log key: it signs every checkpoint of the ledger, for as long as that lives. */
  readonly logKey: string;
  /**
   * The seal key, which each seal replaces; while it is handed over its successor stands beside it as
   * `seal.next`.
   */
  readonly sealKey: string;
  readonly runDir: string;
  /** Stands there while everything is stopped: whoever would decide without a gateway looks for it. */
  readonly panicMark: string;
  /** Stands there while the record is moved out of the home. */
  readonly asideMark: string;
  /** Which gateway serves the home, while one does. */
  readonly gatewayFile: string;
  readonly ticketsDir: string;
  /** The process that answers the hooks of a client, by the id of the client's own. */
  readonly hooksDir: string;
  /** The worlds that wait for programs of whoever made them. */
  readonly worldsDir: string;
  /** The layers that worlds have written, until somebody takes them over or throws them away. */
  readonly layersDir: string;
  /** Records of shims from while no gateway answered, by run. */
  readonly awayDir: string;
  /** The sockets by which agents in worlds ask. Its name is short: a socket's path is. */
  readonly agentDoorsDir: string;
  /** The certificates that servers of placeholders trust. */
  readonly trustDir: string;
  /** The program that clients start: it leads to the `sub` that is installed. */
  readonly launcher: string;
  readonly logsDir: string;
  readonly gatewayLog: string;
}

/** The paths below a home folder, which is made absolute first. Nothing is created or looked at. */
export function homePaths(home: string, platform: NodeJS.Platform = process.platform): HomePaths {
  const root = resolve(home);
  const keysDir = join(root, 'keys');
  const runDir = join(root, 'run');
  const logsDir = join(root, 'logs');
  return {
    home: root,
    socket: platform === 'win32' ? pipeName(root) : join(runDir, 'gateway.sock'),
    ledgerDb: join(root, 'ledger.db'),
    gatewayDb: join(root, 'gateway.db'),
    config: join(root, 'config.toml'),
    policy: join(root, 'policy.yaml'),
    stateHome: join(root, 'state-home'),
    keysDir,
    operatorKey: join(keysDir, 'operator'),
    enrolKey: join(keysDir, 'enrol'),
    logKey: join(keysDir, 'log'),
    sealKey: join(keysDir, 'seal'),
    panicMark: join(root, 'panicked'),
    asideMark: join(root, 'setting-aside'),
    runDir,
    gatewayFile: join(runDir, 'gateway.json'),
    ticketsDir: join(runDir, 'tickets'),
    hooksDir: join(runDir, 'hooks'),
    worldsDir: join(runDir, 'worlds'),
    layersDir: join(root, 'layers'),
    awayDir: join(runDir, 'away'),
    agentDoorsDir: join(runDir, 'w'),
    trustDir: join(runDir, 'trust'),
    launcher: join(root, 'sub'),
    logsDir,
    gatewayLog: join(logsDir, 'gateway.log'),
  };
}

/**
 * `~/.subluminal` of the user in the system's user database. Not of `HOME`: a repository's config can set the
 * environment of a shim, and must not choose which gateway decides (ARCHITECTURE.md, "Keys, credentials,
 * runs").
 */
export function defaultHome(): string {
  return join(userInfo().homedir, '.subluminal');
}

/** Paths on Windows differ in case without differing in meaning. */
function pipeName(root: string): string {
  const digest = createHash('sha256').update(root.toLowerCase()).digest('hex').slice(0, 32);
  return `\\\\.\\pipe\\subluminal-${digest}`;
}
