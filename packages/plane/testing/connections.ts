import type { Action, PlaneEvent } from '../src/event.js';
import { fold, type Folded } from '../src/fold.js';
import type { PlaneSettings } from '../src/settings.js';
import { scope } from '../src/signals/scope.js';
import type { Sign } from '../src/signals/signal.js';
import type { PlaneState } from '../src/state.js';
import { commandOf } from '../src/work/command.js';
import { isShell } from '../src/work/kind.js';

/** Programs that connect, with the host that they connect to when no other is named. */
const HOSTS: Readonly<Record<string, string>> = {
  gh: 'api.github.com',
  npx: 'registry.npmjs.org',
  aws: 'amazonaws.com',
  gcloud: 'googleapis.com',
  kubectl: 'cluster',
  helm: 'cluster',
  terraform: 'registry.terraform.io',
  psql: 'database',
  ssh: 'host',
  scp: 'host',
  rsync: 'host',
};

/** The same for programs of which some words do. */
const BY_VERB: Readonly<Record<string, readonly [string, ReadonlySet<string>]>> = {
  git: ['github.com', new Set(['push', 'fetch', 'pull', 'clone', 'ls-remote'])],
  npm: ['registry.npmjs.org', new Set(['install', 'i', 'ci', 'add', 'view', 'info', 'publish', 'audit'])],
  pnpm: ['registry.npmjs.org', new Set(['install', 'i', 'add', 'publish'])],
  yarn: ['registry.npmjs.org', new Set(['install', 'add', 'publish'])],
  pip: ['pypi.org', new Set(['install', 'download'])],
  pip3: ['pypi.org', new Set(['install', 'download'])],
  go: ['proxy.golang.org', new Set(['get', 'install', 'mod'])],
  cargo: ['crates.io', new Set(['add', 'update', 'publish', 'search', 'install'])],
  docker: ['registry-1.docker.io', new Set(['pull', 'push', 'build', 'login'])],
};

/** The host that an action connects to, as a gateway that carries its connection would see it. */
export function hostOf({ target, tool }: Action): string | undefined {
  const url = /https?:\/\/([a-z0-9.-]{1,128})/i.exec(target ?? '')?.[1];
  if (url !== undefined) return url.toLowerCase();
  if (tool === 'WebFetch' || tool === 'WebSearch') return 'web';
  const command = isShell(tool) && target !== undefined ? commandOf(target) : undefined;
  if (command === undefined) return undefined;
  if (Object.hasOwn(HOSTS, command.program)) return HOSTS[command.program];
  const verbs = Object.hasOwn(BY_VERB, command.program) ? BY_VERB[command.program] : undefined;
  return verbs?.[1].has(command.verb) === true ? verbs[0] : undefined;
}

/**
 * A fold that looks at hosts as well: a host that the present window has not seen is a sign that the scope
 * has changed, from the one with the number `weight` on; with Infinity none is. Made anew for each session.
 */
export function foldWithHosts(
  weight: number,
): (state: PlaneState, event: PlaneEvent, settings: PlaneSettings) => Folded {
  let seen = new Set<string>();
  return (state, event, settings) => {
    const host = event.kind === 'action' ? hostOf(event) : undefined;
    const isNew = host !== undefined && !seen.has(host);
    if (host !== undefined) seen.add(host);
    const sign: Sign | undefined =
      isNew && seen.size >= weight ? { why: 'module', isProtected: false } : undefined;
    const looks: typeof scope = {
      ...scope,
      see: (memory, one) => {
        const own = scope.see(memory, one);
        return sign === undefined || own.sign !== undefined ? own : { ...own, sign };
      },
    };
    const folded = fold(state, event, { ...settings, signals: { ...settings.signals, scope: looks } });
    // The event that draws a boundary is the first of the next window.
    if (folded.state.window.number !== state.window.number) seen = new Set(host === undefined ? [] : [host]);
    return folded;
  };
}
