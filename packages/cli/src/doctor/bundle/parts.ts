import { existsSync, readFileSync, statSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { isSublError, parseJson } from '@subluminal/core-types';
import type { HomePaths } from '@subluminal/ipc';
import { openLedgerReader } from '@subluminal/ledger';
import { compilePolicy } from '@subluminal/policy';
import { standingOf } from '@subluminal/records';
import { counted } from '../../output/counted.js';
import { byteCount } from '../../output/time.js';
import { parseTable, readTable } from '../../home/settings.js';
import { VERSION } from '../../program/version.js';
import type { Check } from '../check.js';
import type { ClientsReport } from '../clients.js';
import { KNOWN_OF_CLIENTS, knownOfConfig } from './known.js';
import { newestLines } from './newest-lines.js';
import { shapeLines } from './shape.js';

/** A part of a bundle, before it is scrubbed. */
export interface Part {
  readonly title: string;
  readonly lines: readonly string[];
}

/** Variables that change what happens; of them it is told that they are set, and nothing else. */
const VARIABLES =
  /^(?:SUB_[A-Z_]+|XDG_[A-Z_]+|NODE_[A-Z_]+|(?:HTTPS?|ALL|NO)_PROXY|(?:https?|all|no)_proxy|CI|SSL_CERT_(?:FILE|DIR))$/;

export function versionsPart(variables: readonly string[], now: number): Part {
  const set = variables.filter((name) => VARIABLES.test(name)).toSorted();
  return {
    title: 'versions and platform',
    lines: [
      `made ${new Date(now).toISOString()}`,
      `sub ${VERSION}, node ${process.version}, sqlite add-on for ABI ${process.versions.modules}`,
      `${platform()} ${release()} ${arch()}, ${counted(cpus().length, 'processor')}, ${byteCount(totalmem())}`,
      `variables that are set: ${set.join(', ') || 'none'}`,
    ],
  };
}

export function checksPart(checks: readonly Check[]): Part {
  const lines = checks.flatMap(({ name, level, message, help }) => [
    `${level.padEnd(4)}  ${name}: ${message}`,
    ...(help === undefined ? [] : [`      help: ${help}`]),
  ]);
  return { title: 'checks of `sub doctor`', lines };
}

export function configPart({ config }: HomePaths): Part {
  const title = 'shape of config.toml, without its texts';
  try {
    const table = readTable(config);
    return { title, lines: table === undefined ? ['there is none'] : shapeLines(table, knownOfConfig()) };
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { title, lines: ['it cannot be read, or is not valid toml'] };
  }
}

/** The text itself only if it is asked for: it says what its writer wants to keep from whom. */
export function policyPart({ policy }: HomePaths, withText: boolean): Part {
  const title = withText ? 'policy.yaml' : 'rules of policy.yaml, without what they match';
  if (!existsSync(policy)) return { title, lines: ['there is none'] };
  const text = readFileSync(policy, 'utf8');
  if (withText) return { title, lines: text.split('\n') };
  const result = compilePolicy(text, {});
  if (!result.ok)
    return { title, lines: [`it does not load: ${counted(result.problems.length, 'mistake')}`] };
  const { mode, plain } = result.snapshot;
  const rules = plain.rules.map(
    ({ rule_id: id, kind, enabled, severity }) => `${id} (${kind}, ${severity}${enabled ? '' : ', off'})`,
  );
  return { title, lines: [`mode ${mode}, ${counted(rules.length, 'rule')}`, ...rules] };
}

export function logPart({ gatewayLog }: HomePaths): Part {
  const lines = newestLines(gatewayLog);
  return {
    title: 'newest lines of logs/gateway.log',
    lines: lines.length === 0 ? ['there are none'] : lines,
  };
}

export function countsPart({ ledgerDb }: HomePaths): Part {
  const title = 'counts of the record';
  if (!existsSync(ledgerDb)) return { title, lines: ['there is none'] };
  try {
    const reader = openLedgerReader(ledgerDb);
    try {
      const { entries, bytes, segments, open, previews, mistake } = standingOf(reader, ledgerDb);
      return {
        title,
        lines: [
          `${entries} entries, ${byteCount(bytes.ledger)}, log ${byteCount(bytes.log)}, segments ${byteCount(bytes.segments)}`,
          `${counted(segments.count, 'segment')}, ${segments.missing.length} missing; ${open.count} open; ${previews.kept} previews`,
          ...(mistake === null ? [] : [`mistake: ${mistake}`]),
        ],
      };
    } finally {
      reader.close();
    }
  } catch (error) {
    if (!isSublError(error)) throw error;
    return { title, lines: [`it cannot be read: ${error.code}`] };
  }
}

/** Their files by the keys that are in them, and each server by how it is reached. */
export function clientsPart({ coverage }: ClientsReport): Part {
  const files = [...new Set(coverage.map(({ file }) => file))].filter((file) => file !== '');
  const lines = files.flatMap((file) => {
    const servers = coverage.filter((one) => one.file === file);
    return [
      `${servers[0]?.client ?? ''}: ${file}, ${sizeOf(file)}`,
      ...servers.map(
        ({ through, broken, scope }, at) =>
          `  server ${at + 1}: ${scope}, ${through ? 'routed' : 'not routed'}${broken === true ? ', broken' : ''}`,
      ),
      ...shapeOfFile(file),
    ];
  });
  return {
    title: 'files of clients: their shape, without names and values',
    lines: lines.length === 0 ? ['no client names a server'] : lines,
  };
}

const MAX_FILE = 4_194_304;

function shapeOfFile(file: string): readonly string[] {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  if (size === undefined || size > MAX_FILE) return [];
  try {
    const text = readFileSync(file, 'utf8');
    const value = file.endsWith('.toml') ? parseTable(file, text) : parseJson(text);
    return shapeLines(value, KNOWN_OF_CLIENTS, '  ');
  } catch (error) {
    if (!isSublError(error)) throw error;
    return ['  (not read)'];
  }
}

function sizeOf(file: string): string {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  return size === undefined ? 'not there' : byteCount(size);
}
