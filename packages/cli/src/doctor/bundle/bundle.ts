import { homedir, hostname, userInfo } from 'node:os';
import { isSublError } from '@subluminal/core-types';
import type { Call } from '../../program/call.js';
import { readTable } from '../../home/settings.js';
import type { Check } from '../check.js';
import type { ClientsReport } from '../clients.js';
import { knownOfConfig } from './known.js';
import {
  checksPart,
  clientsPart,
  configPart,
  countsPart,
  logPart,
  policyPart,
  versionsPart,
  type Part,
} from './parts.js';
import { scrubOf } from './scrub.js';
import { textsIn } from './shape.js';

/** A bundle as it is written, and a line about each of its parts. */
export interface Bundle {
  readonly text: string;
  readonly holds: readonly { readonly part: string; readonly lines: number }[];
}

const HEAD = [
  'What `sub doctor --bundle` has seen on this machine, for a report of a fault.',
  'Nothing was sent anywhere. Read it before you attach it: credentials are recognised by their shapes.',
];

/** Puts a bundle together; every line of it is scrubbed. */
export function bundleOf(
  { home, session }: Call,
  found: { readonly checks: readonly Check[]; readonly clients: ClientsReport },
  withPolicy: boolean,
): Bundle {
  const scrub = scrubOf({
    homes: [userInfo().homedir, homedir(), session.environment.all['HOME'] ?? ''],
    user: userInfo().username,
    host: hostname(),
    texts: [
      ...ownTexts(home.config),
      ...found.clients.coverage.map(({ server }) => server),
      ...found.clients.tokenNames,
    ],
  });
  const parts = [
    versionsPart(Object.keys(session.environment.all), session.now()),
    checksPart(found.checks),
    configPart(home),
    policyPart(home, withPolicy),
    logPart(home),
    countsPart(home),
    clientsPart(found.clients),
  ];
  const scrubbed = parts.map(({ title, lines }): Part => ({
    title,
    lines: scrub(lines),
  }));
  const text = [...HEAD, ...scrubbed.flatMap(({ title, lines }) => ['', `== ${title}`, ...lines]), ''].join(
    '\n',
  );
  return { text, holds: scrubbed.map(({ title, lines }) => ({ part: title, lines: lines.length })) };
}

/** The texts in `config.toml`: a check that quotes one must not bring it in. */
function ownTexts(path: string): readonly string[] {
  try {
    return textsIn(readTable(path) ?? {}, knownOfConfig());
  } catch (error) {
    if (!isSublError(error)) throw error;
    return [];
  }
}
