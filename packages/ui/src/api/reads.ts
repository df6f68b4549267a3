import { textAt } from '@subluminal/core-types';
import type { Access } from '../door/peers.js';
import { UiRefusal } from '../door/refusal.js';
import { API } from '../protocol/paths.js';
import { MOST_AGAIN } from '../protocol/runs.js';
import type { Reader } from '../reader/reader.js';
import type { UiSession } from '../session/sessions.js';
import type { RuleVerbs } from '../rules/rules.js';
import type { LayerVerbs } from '../worlds/worlds.js';
import { askGateway, objectOf } from './ask.js';
import { inboxNow } from './cards.js';
import { layersText, layerText } from './layers.js';
import { numberIn, seqIn, seqsIn, textIn, wholeOf } from './query.js';

const MAX_TIME = 8.64e15;
const MAX_FILTER = 4096;
const MAX_NOTE = 4096;
const HASH = 64;

/** A question of a page that changes nothing. */
export interface Asking {
  readonly session: UiSession;
  readonly access: Access;
  readonly reader: Pick<Reader, 'ask'>;
  readonly query: URLSearchParams;
  readonly layers: LayerVerbs;
  readonly rules: Pick<RuleVerbs, 'offers'>;
  /** The parts of the path behind the route. */
  readonly rest: readonly string[];
}

/** The answer as JSON text. */
type Read = (asking: Asking) => Promise<string>;

/** The routes that read, by their paths. */
export const READS: ReadonlyMap<string, Read> = new Map<string, Read>([
  [
    API.records,
    ({ query, reader }) =>
      reader.ask({
        ask: 'records',
        filter: textIn(query, 'f', MAX_FILTER, ''),
        before: seqIn(query, 'before'),
        after: seqIn(query, 'after'),
        limit: numberIn(query, 'limit', { least: 1, most: 500, otherwise: 100 }),
      }),
  ],
  [API.record, ({ reader, rest }) => reader.ask({ ask: 'record', seq: seqOf(rest) })],
  [
    API.histogram,
    ({ query, reader }) =>
      reader.ask({
        ask: 'histogram',
        from: numberIn(query, 'from', { least: 0, most: MAX_TIME, otherwise: 0 }),
        to: numberIn(query, 'to', { least: 0, most: MAX_TIME, otherwise: MAX_TIME }),
        buckets: numberIn(query, 'buckets', { least: 1, most: 1000, otherwise: 100 }),
      }),
  ],
  [
    API.at,
    ({ query, reader }) =>
      reader.ask({ ask: 'at', ts: numberIn(query, 'ts', { least: 0, most: MAX_TIME, otherwise: 0 }) }),
  ],
  [
    API.raw,
    ({ query, reader }) => {
      const from = Math.max(1, seqIn(query, 'from') ?? 1);
      return reader.ask({ ask: 'raw', from, to: seqIn(query, 'to') ?? from });
    },
  ],
  [
    API.runs,
    ({ query, reader }) =>
      reader.ask({
        ask: 'runs',
        before: seqIn(query, 'before'),
        limit: numberIn(query, 'limit', { least: 1, most: 100, otherwise: 50 }),
      }),
  ],
  [API.agents, ({ reader }) => reader.ask({ ask: 'agents' })],
  [
    API.run,
    ({ query, reader, rest }) =>
      reader.ask({
        ask: 'run',
        run: runOf(rest),
        after: seqIn(query, 'after') ?? 0,
        again: seqsIn(query, 'again', MOST_AGAIN),
      }),
  ],
  [API.places, ({ reader, rest }) => reader.ask({ ask: 'places', run: runOf(rest) })],
  [API.inbox, async ({ reader, session }) => JSON.stringify(await inboxNow(session, reader))],
  [API.worlds, (asking) => layersText(asking)],
  [API.world, (asking) => layerText(asking)],
  [API.hints, ({ reader }) => reader.ask({ ask: 'hints' })],
  [
    API.policy,
    async ({ reader, session }) =>
      reader.ask({ ask: 'policy', policy: await objectOf(session, 'policy.show') }),
  ],
  [
    API.compare,
    ({ query, reader }) =>
      reader.ask({ ask: 'compare', old: textIn(query, 'old', HASH), new: textIn(query, 'new', HASH) }),
  ],
  [
    API.file,
    async ({ reader, session }) => {
      const policy = await objectOf(session, 'policy.show');
      return reader.ask({ ask: 'file', current: textAt(policy, 'policy_hash') });
    },
  ],
  [
    API.rule,
    async ({ rest, rules, session }) => JSON.stringify(await rules.offers(`ui:${session.id}`, seqOf(rest))),
  ],
  [
    API.health,
    async ({ reader, session }) =>
      reader.ask({ ask: 'health', status: await objectOf(session, 'gateway.status') }),
  ],
  [
    API.head,
    async ({ query, reader, session }) => {
      // It signs a head over all that is recorded.
      await askGateway(session, 'audit.checkpoint');
      const older = query.has('older') ? textIn(query, 'older', MAX_NOTE) : null;
      return reader.ask({ ask: 'head', older });
    },
  ],
  [API.proof, ({ reader, rest }) => reader.ask({ ask: 'proof', seq: seqOf(rest) })],
]);

function runOf(rest: readonly string[]): string {
  const [run = ''] = rest;
  if (run === '' || rest.length > 1) throw new UiRefusal(404, 'no_route', 'a run is named by its id');
  return run;
}

function seqOf(rest: readonly string[]): number {
  const [seq = ''] = rest;
  if (rest.length > 1) throw new UiRefusal(404, 'no_route', 'there is nothing at this path');
  return wholeOf(seq, 'the entry', 1, Number.MAX_SAFE_INTEGER);
}
