import { argsHash, canonicalize, EnvName, redact } from '@subluminal/core-types';
import {
  Replay,
  type PolicyIdentity,
  type PolicySnapshot,
  type Replayed,
  type Ruling,
} from '@subluminal/policy';
import type { Place } from '@subluminal/readings';
import { objectText } from '@subluminal/readings/facts';
import { placeHere, readHere } from '../../objects/read-here.js';
import { jsonObject, type MadeCall } from '../../transcripts/made-call.js';
import type { TranscriptClient } from '../../transcripts/transcripts.js';

/** A call that would have been refused: what is told of it, and nothing else that the session has. */
export interface RefusedThen {
  readonly ts: number;
  readonly server: string;
  readonly tool: string;
  /** Redacted, as the record of a call is; null where it names none. */
  readonly object: string | null;
  readonly ruling: Ruling;
}

/** The calls of a rule; `null` for those that no rule refuses. */
export interface RefusedGroup {
  readonly rule: string | null;
  readonly reason: string;
  count: number;
  /** The first of them. */
  readonly calls: RefusedThen[];
}

/** Calls that are kept one by one; the others are counted. */
const MAX_KEPT = 20_000;
const MAX_PLACES = 4096;
/** Every argument of a call in a session file is known. */
const NONE: ReadonlySet<string> = new Set();

/** Lets a policy decide calls that clients have made, each session as a run of its own. */
export class TranscriptReplay {
  readonly #replay: Replay;
  readonly #client: TranscriptClient;
  readonly #env: PolicyIdentity['env'];
  readonly #groups = new Map<string, RefusedGroup>();
  readonly #places = new Map<string, Place>();
  #session: string | undefined;
  #kept = 0;
  #ref = 0;
  calls = 0;
  refused = 0;
  /** Calls behind one that would have ended the session. */
  notReached = 0;

  constructor(snapshot: PolicySnapshot, client: TranscriptClient) {
    this.#replay = new Replay(snapshot);
    this.#client = client;
    // No session file says where it was: the rules are tried as they are where the policy is meant for.
    this.#env = EnvName.safeParse(snapshot.selectors.env?.[0]).data ?? 'dev';
  }

  /** The calls from here on are of another session. */
  session(name: string): void {
    if (this.#session !== undefined) this.#replay.finish(this.#session);
    this.#session = name;
    this.#replay.begin(name, { agent_id: this.#client, client: this.#client, env: this.#env });
  }

  call(made: MadeCall, ts: number): void {
    this.calls += 1;
    this.#ref += 1;
    const { server, tool, args, cwd } = made;
    const replayed = this.#replay.call({
      run_id: this.#session ?? '',
      ref: this.#ref,
      ts,
      server_name: server,
      tool_name: tool,
      args_hash: argsHash(args),
      args: () => ({ kind: 'whole', values: args, absent: NONE, present: NONE }),
      readings: (keys) => readHere({ server, tool, args, keys }, cwd ?? '/', this.#placeOf(cwd ?? '/')),
      raised: [],
      waivers: [],
      was: { action: 'ALLOW', rule_id: null, reason_code: 'MADE' },
    });
    this.#note(made, ts, replayed);
  }

  /** Those with most calls first. */
  get groups(): readonly RefusedGroup[] {
    return [...this.#groups.values()].toSorted((a, b) => b.count - a.count);
  }

  #note({ server, tool, args }: MadeCall, ts: number, { verdict, now, would }: Replayed): void {
    if (verdict === 'not_reached') this.notReached += 1;
    const ruling = would ?? now;
    if (ruling === null || ruling.action === 'ALLOW') return;
    this.refused += 1;
    const key = ruling.rule_id ?? `\n${ruling.reason_code}`;
    const group = this.#groups.get(key) ?? {
      rule: ruling.rule_id,
      reason: ruling.reason_code,
      count: 0,
      calls: [],
    };
    group.count += 1;
    if (this.#kept < MAX_KEPT) {
      this.#kept += 1;
      group.calls.push({ ts, server, tool, object: shownObject(server, tool, args), ruling });
    }
    this.#groups.set(key, group);
  }

  #placeOf(folder: string): Place {
    const known = this.#places.get(folder);
    if (known !== undefined) return known;
    const place = placeHere(folder);
    if (this.#places.size < MAX_PLACES) this.#places.set(folder, place);
    return place;
  }
}

/** As the record would have it: out of the redacted arguments, else redacted itself. */
function shownObject(server: string, tool: string, args: MadeCall['args']): string | null {
  const redacted = jsonObject(redact(canonicalize(args)).text);
  const object = objectText(server, tool, redacted ?? args);
  return object === null ? null : redact(object).text;
}
