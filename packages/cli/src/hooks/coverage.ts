import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { numberAt, objectAt, textAt, type JsonObject } from '@subluminal/core-types';
import { readState } from '../clients/file/file-state.js';
import { TextProblem } from '../text/text-problem.js';
import type { Where } from '../clients/client.js';
import type { HookClient, HookObstacle } from './hook-client.js';
import { isPresent } from './present.js';

/** Whether the hooks of a client ask. */
export interface HookCoverage {
  readonly client: HookClient;
  /** `part`: not as they were installed. `absent`: the client was not found on this machine. */
  readonly state: 'absent' | 'installed' | 'none' | 'part';
  readonly files: readonly string[];
  /** Tools that are not called while no gateway answers. */
  readonly blockedWhenAway: readonly string[];
  readonly obstacles: readonly HookObstacle[];
  readonly foreign: readonly { readonly path: string; readonly events: readonly string[] }[];
  /** Events since the gateway started, and when the last one came; undefined where no gateway tells. */
  readonly events: number | undefined;
  readonly lastEventAt: string | undefined;
  /** A lowercase sentence without its end; undefined where all is as it should be. */
  readonly problem: string | undefined;
}

/** Looks at the files of a client. `status`: that of the gateway, undefined where none answers. */
export function hookCoverage(client: HookClient, where: Where, status: JsonObject | undefined): HookCoverage {
  const files = client.files(where);
  const http = status === undefined ? undefined : objectAt(status, 'http');
  const port = http === undefined ? undefined : http['listening'] === true ? numberAt(http, 'port') : null;
  const blocked = new Set<string>();
  const gone = new Set<string>();
  const found = files.map(({ path, contents, isWhole }) => {
    const state = readState(path);
    try {
      if (state === undefined) return 'none';
      const { ours, blockedWhenAway, starts } = contents(state.text);
      if (ours.length === 0) return 'none';
      for (const program of starts) if (isAbsolute(program) && !existsSync(program)) gone.add(program);
      for (const tool of blockedWhenAway) blocked.add(tool);
      return isWhole(state.text, port) ? 'whole' : 'part';
    } catch (error) {
      if (error instanceof TextProblem) return { broken: `${path}: ${error.message}` };
      throw error;
    }
  });
  const [broken] = found.flatMap((one) => (typeof one === 'string' ? [] : [one.broken]));
  const obstacles = client.obstacles(where);
  const state = found.every((one) => one === 'whole')
    ? 'installed'
    : found.some((one) => one === 'whole' || one === 'part')
      ? 'part'
      : isPresent(client, where)
        ? 'none'
        : 'absent';
  const seen = status === undefined ? undefined : objectAt(objectAt(status, 'hooks'), client.name);
  return {
    client,
    state,
    files: files.map(({ path }) => path),
    blockedWhenAway: [...blocked],
    obstacles,
    foreign: client.foreign(where),
    events: seen === undefined ? undefined : (numberAt(seen, 'events') ?? 0),
    lastEventAt: seen === undefined ? undefined : textAt(seen, 'last_event_at') || undefined,
    problem: broken ?? goneText(gone, client) ?? problemOf(state, obstacles, client),
  };
}

/** A client goes on without a word if what it is to start is not there. */
function goneText([program]: Iterable<string>, { name }: HookClient): string | undefined {
  if (program === undefined) return undefined;
  return `\`${program}\` is not there, so that its hooks start nothing: run \`sub hooks install ${name}\` again`;
}

function problemOf(
  state: HookCoverage['state'],
  [obstacle]: readonly HookObstacle[],
  { name }: HookClient,
): string | undefined {
  if (state === 'part')
    return `its hooks are not as they were installed, so it may not ask: run \`sub hooks install ${name}\` again`;
  return state === 'installed' && obstacle !== undefined ? `${obstacle.why} in ${obstacle.path}` : undefined;
}
