import { userInfo } from 'node:os';
import { join } from 'node:path';

/** What `sub` reads from its environment. No other file reads it. */
export interface Environment {
  /** `SUB_HOME`, unless empty. The shim does not look at it. */
  readonly subHome: string | undefined;
  readonly noColor: boolean;
  readonly term: string;
  /** Where state that outlives a home may stand: `~/.local/state`, of the user database. */
  readonly stateFolders: readonly string[];
  /** Who asked, where a CI system or `SUB_PRINCIPAL` says so. */
  readonly principal: string | undefined;
  readonly ci: CiContext | undefined;
  /** Everything, for the command of a run. */
  readonly all: Readonly<NodeJS.ProcessEnv>;
  /** All that a gateway gets: nothing that could load code into it or turn its connections. */
  readonly forGateway: Readonly<NodeJS.ProcessEnv>;
}

/** The workload of a CI job (Interface Pack §1.3.1). */
export interface CiContext {
  readonly ci_provider: string;
  readonly job_id?: string;
  readonly repo?: string;
  readonly branch?: string;
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
    stateFolders: [join(userInfo().homedir, '.local', 'state')],
    principal: text('SUB_PRINCIPAL'),
    ci: ciContext(text),
    all: env,
    forGateway: {
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: userInfo().homedir,
      LANG: 'C.UTF-8',
    },
  };
}

function ciContext(text: (name: string) => string | undefined): CiContext | undefined {
  if (text('GITHUB_ACTIONS') !== undefined) {
    return context('github', text('GITHUB_RUN_ID'), text('GITHUB_REPOSITORY'), text('GITHUB_REF_NAME'));
  }
  if (text('GITLAB_CI') !== undefined) {
    return context('gitlab', text('CI_JOB_ID'), text('CI_PROJECT_PATH'), text('CI_COMMIT_REF_NAME'));
  }
  return text('CI') === undefined ? undefined : context('unknown', undefined, undefined, undefined);
}

function context(
  provider: string,
  job: string | undefined,
  repo: string | undefined,
  branch: string | undefined,
): CiContext {
  return {
    ci_provider: provider,
    ...(job === undefined ? {} : { job_id: job }),
    ...(repo === undefined ? {} : { repo }),
    ...(branch === undefined ? {} : { branch }),
  };
}
