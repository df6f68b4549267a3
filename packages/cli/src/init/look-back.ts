import { existsSync } from 'node:fs';
import type { PolicySnapshot } from '@subluminal/policy';
import type { Where } from '../clients/client.js';
import { counted } from '../output/counted.js';
import { progress } from '../output/progress.js';
import { loadPolicy } from '../policy/load.js';
import { TranscriptReplay, type RefusedGroup } from '../policy/transcripts/refused.js';
import type { Call } from '../program/call.js';
import { BOUNDS, type LeftOut } from '../transcripts/bounds.js';
import {
  madeCalls,
  TRANSCRIPT_CLIENTS,
  transcriptFolder,
  type TranscriptClient,
} from '../transcripts/transcripts.js';

const DAYS = 7;
/** A first look is short: the newest sessions of the week, and no more of them than this. */
const LOOKED = { ...BOUNDS, files: 2000, bytes: 512 * 1024 * 1024 };
/** Rules that are named. */
const MAX_RULES = 3;
/** A question of `control`; the other modes refuse what they would ask about. */
const ASKED = 'APPROVAL_REQUIRED';

const TITLES = { claude: 'Claude Code', codex: 'Codex' } as const;

/** The last days of a client, as starters would have decided them. */
export interface LookedBack {
  readonly client: TranscriptClient;
  readonly calls: number;
  readonly sessions: number;
  readonly starters: readonly {
    readonly name: string;
    readonly asked: number;
    readonly refused: number;
    readonly rules: string;
  }[];
}

/** Lets starters decide the calls in clients' session files of a week. A client without any is left out. */
export async function lookBack(
  call: Call,
  where: Where,
  names: readonly string[],
  signal: AbortSignal,
): Promise<readonly LookedBack[]> {
  const snapshots = names.map((name) => ({ name, snapshot: loadPolicy(name, call.session) }));
  const looked: LookedBack[] = [];
  for (const client of TRANSCRIPT_CLIENTS) {
    const folder = transcriptFolder(client, where);
    if (!existsSync(folder)) continue;
    const one = await lookAt(call, { client, folder, snapshots }, signal);
    if (one.calls > 0) looked.push(one);
  }
  return looked;
}

interface Asked {
  readonly client: TranscriptClient;
  readonly folder: string;
  readonly snapshots: readonly { readonly name: string; readonly snapshot: PolicySnapshot }[];
}

async function lookAt(
  call: Call,
  { client, folder, snapshots }: Asked,
  signal: AbortSignal,
): Promise<LookedBack> {
  const replays = snapshots.map(({ name, snapshot }) => ({
    name,
    replay: new TranscriptReplay(snapshot, client),
  }));
  const left: LeftOut = { files: 0, bad: 0, long: 0, bytes: 0 };
  const since = call.session.now() - DAYS * 86_400_000;
  const bar = progress(call.output, 'looking back', call.session.now);
  let sessions = 0;
  for (const step of madeCalls(client, folder, since, LOOKED, left)) {
    if (step.what === 'call') for (const { replay } of replays) replay.call(step.call, step.ts);
    else {
      bar.update(step.at, step.of);
      sessions += 1;
      for (const { replay } of replays) replay.session(String(step.at));
      // Ctrl-C is heard between two sessions.
      await new Promise((done) => setImmediate(done));
      signal.throwIfAborted();
    }
  }
  bar.end();
  const starters = replays.map(({ name, replay: { groups, refused } }) => {
    const asked = sum(groups.filter(({ reason }) => reason === ASKED));
    return { name, asked, refused: refused - asked, rules: rulesOf(groups) };
  });
  return { client, calls: replays[0]?.replay.calls ?? 0, sessions, starters };
}

function sum(groups: readonly RefusedGroup[]): number {
  return groups.reduce((total, { count }) => total + count, 0);
}

function rulesOf(groups: readonly RefusedGroup[]): string {
  return groups
    .slice(0, MAX_RULES)
    .map(({ rule, reason, count }) => `${rule ?? reason} ${count}`)
    .join(', ');
}

/** The same in sentences. */
export function lookedBackLines(looked: readonly LookedBack[]): readonly string[] {
  return looked.flatMap(({ client, calls, sessions, starters }) => [
    `In the last ${DAYS} days ${TITLES[client]} made ${counted(calls, 'call')} in ${counted(sessions, 'session')}.`,
    ...starters.map(({ name, asked, refused, rules }) => {
      const times = asked === 1 ? 'once' : `${asked} times`;
      const by = rules === '' ? '' : ` (${rules})`;
      return `  ${name} would have asked ${times} and refused ${refused}${by}`;
    }),
  ]);
}
