import { realpathSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, resolve, sep } from 'node:path';
import { type JsonObject, listAt, objectAt, textAt } from '@subluminal/core-types';
import { snapshotFromPlain, type WorldSettings, worldSettings, worldSourceText } from '@subluminal/policy';
import { askOperator } from '../../gateway/door.js';
import { escapeText } from '../../output/escape.js';
import type { Surface } from '../../output/style.js';
import { type Cell, pairs } from '../../output/table.js';
import { byteCount, span } from '../../output/time.js';
import type { Call } from '../../program/call.js';

/** A world that is asked about. */
export interface AskedWorld {
  /** Undefined for a command. */
  readonly server: string | undefined;
  readonly folder: string;
  /** A policy file instead of what the gateway has loaded. */
  readonly file: string | undefined;
}

/** The settings of a world, and the policies that give them. */
export interface ExplainedWorld {
  readonly asked: AskedWorld;
  readonly policy: string;
  /** The files of trusted projects that narrow it. */
  readonly projects: readonly string[];
  readonly settings: WorldSettings;
}

/** Finds the settings of a world. Without a file the gateway is asked for the policies. */
export async function explainWorld(call: Call, given: AskedWorld): Promise<ExplainedWorld> {
  const asked = { ...given, folder: realFolder(given.folder) };
  const { home, now } = { home: call.home, now: call.session.now };
  const shown = asked.file === undefined ? objectAt(await askOperator(home, now, 'policy.show')) : undefined;
  const snapshot =
    shown === undefined
      ? (await import('../load.js')).loadPolicy(asked.file ?? '', call.session)
      : snapshotFromPlain(objectAt(shown, 'bundle'));
  const files = shown === undefined ? [] : projectsAround(shown, asked.folder);
  const projects = files.length === 0 ? [] : await (await import('./projects.js')).projectsOf(call, files);
  const settings = worldSettings(
    snapshot,
    projects.map((one) => ({ kind: 'project', snapshot: one })),
    { server: asked.server, folder: asked.folder, home: userInfo().homedir, tmp: tmpdir() },
  );
  const policy = `${snapshot.policy_id} ${snapshot.version}`;
  return { asked, policy, projects: files, settings };
}

/** The same for programs; the names are documented in docs/cli.md. */
export function worldJson({ asked, policy, projects, settings }: ExplainedWorld): JsonObject {
  const { profile, limits, reuse, fs, isolated, hosts, budget } = settings;
  return {
    server: asked.server ?? null,
    folder: asked.folder,
    policy: asked.file ?? policy,
    projects: [...projects],
    profile: profile ?? null,
    limits: {
      memory_bytes: limits.memoryBytes ?? null,
      cpus: limits.cpus ?? null,
      processes: limits.processes ?? null,
      wall_ms: limits.wallMs ?? null,
      disk_bytes: limits.diskBytes ?? null,
    },
    reuse,
    fs: { ask: [...fs.ask], hide: [...fs.hide], read: [...fs.read], write: [...fs.write] },
    commands: { isolated: [...isolated] },
    net: hosts.map((one) => ({
      by: one.kind,
      profile: one.profile ?? null,
      allowed: [...one.allowed].toSorted(),
    })),
    egress_budget: {
      bytes_per_sec: budget.bytesPerSecond ?? null,
      total_bytes: budget.totalBytes ?? null,
    },
  };
}

/** The same for people: what is not set is left out. */
export function worldLines(
  { asked, policy, projects, settings }: ExplainedWorld,
  { paint, width }: Surface,
): readonly string[] {
  const { profile, limits, reuse, fs, isolated, hosts, budget } = settings;
  const { memoryBytes, cpus, processes, wallMs, diskBytes } = limits;
  const parts = (list: readonly (string | undefined)[]): string =>
    list.filter((one) => one !== undefined).join(', ');
  const bytes = (count: number | undefined, after: string): string | undefined =>
    count === undefined ? undefined : `${byteCount(count)}${after}`;
  const rows: readonly (readonly [string, string])[] = [
    ['world', asked.server === undefined ? 'of a command' : `of the server ${asked.server}`],
    ['folder', asked.folder],
    ['policy', asked.file ?? policy],
    ['narrowed by', projects.join(', ')],
    ['profile', profile ?? 'none: the settings of all worlds'],
    [
      'limits',
      parts([
        bytes(memoryBytes, ' of memory'),
        cpus === undefined ? undefined : `${cpus} processors`,
        processes === undefined ? undefined : `${processes} processes`,
        wallMs === undefined ? undefined : `ends after ${span(wallMs)}`,
        bytes(diskBytes, ' on disk'),
      ]),
    ],
    ['reuse', reuse ? '' : 'no: one command a world'],
    ['asks about', fs.ask.join(', ')],
    ['isolates', isolated.join(', ')],
    ['hides', fs.hide.join(', ')],
    ['reads', fs.read.join(', ')],
    ['writes', fs.write.join(', ')],
    ...hosts.map((one): readonly [string, string] => [
      'reaches',
      `${[...one.allowed].toSorted().join(', ') || 'nothing'} (${worldSourceText(one).replaceAll('`', '')})`,
    ]),
    ['carries', parts([bytes(budget.totalBytes, ' in all'), bytes(budget.bytesPerSecond, ' a second')])],
  ];
  const cells = rows
    .filter(([, text]) => text !== '')
    .map(([name, text]): readonly [string, Cell] => [name, { text: escapeText(text) }]);
  return [
    ...pairs(cells, paint, width),
    ...(hosts.length === 0 ? [] : ['each list of hosts narrows the allowlist, and none widens it']),
  ];
}

function realFolder(folder: string): string {
  const path = resolve(folder);
  try {
    return realpathSync(path);
  } catch {
    // A folder that is not there is meant as it is written.
    return path;
  }
}

/** The files of trusted projects in that folder or above it. */
function projectsAround(shown: JsonObject, folder: string): readonly string[] {
  return listAt(shown, 'projects')
    .map((one) => textAt(one, 'file'))
    .filter((file) => `${folder}${sep}`.startsWith(`${dirname(file)}${sep}`));
}
