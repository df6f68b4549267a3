import { userInfo } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { ciContext, podContext, type CiContext, type PodContext } from '@subluminal/ipc';

/** The environment of `sub`. No other file reads it. */
export interface Environment {
  /** `SUB_HOME`, unless empty. The shim does not look at it. */
  readonly subHome: string | undefined;
  readonly noColor: boolean;
  readonly term: string;
  /** Where state that outlives a home may stand: `~/.local/state`, of the user database. */
  readonly stateFolders: readonly string[];
  /**
   * The folder for that state of a home that is made now: `$XDG_STATE_HOME`, else `.local/state` in `$HOME`.
   * Undefined for the place above.
   */
  readonly ownStateHome: string | undefined;
  /** The person who asked, where a CI system or `SUB_PRINCIPAL` names one. */
  readonly principal: string | undefined;
  readonly ci: CiContext | undefined;
  readonly pod: PodContext | undefined;
  /** Everything, for the command of a run. */
  readonly all: Readonly<NodeJS.ProcessEnv>;
  /** All that a gateway gets: nothing that could load code into it or turn its connections. */
  readonly forGateway: Readonly<NodeJS.ProcessEnv>;
}

const USUAL_STATE = join(userInfo().homedir, '.local', 'state');

/** Relative paths in these variables mean nothing (https://specifications.freedesktop.org/basedir-spec/). */
function stateHomeOf(xdg: string | undefined, home: string | undefined): string | undefined {
  if (process.platform === 'win32') return undefined;
  const folder =
    xdg !== undefined && isAbsolute(xdg)
      ? normalize(xdg)
      : home !== undefined && isAbsolute(home)
        ? join(home, '.local', 'state')
        : USUAL_STATE;
  return folder === USUAL_STATE || /[\0\n]/.test(folder) ? undefined : folder;
}

/** Reads the environment; an empty variable is an absent one. */
export function readEnvironment(env: NodeJS.ProcessEnv): Environment {
  const text = (name: string): string | undefined => {
    const value = env[name];
    return value === undefined || value === '' ? undefined : value;
  };
  return {
    subHome: text('SUB_HOME'),
    noColor: text('NO_COLOR') !== undefined,
    term: env['TERM'] ?? '',
    stateFolders: [USUAL_STATE],
    ownStateHome: stateHomeOf(text('XDG_STATE_HOME'), text('HOME')),
    principal: text('SUB_PRINCIPAL'),
    ci: ciContext(text),
    pod: podContext(text),
    all: env,
    forGateway: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: userInfo().homedir,
      LANG: 'C.UTF-8',
    },
  };
}
