import {
  MAX_SPOOL_CALLS,
  type ProcessIdentity,
  readSpool,
  spoolHeader,
  unverifiedBodies,
} from '@subluminal/core-types';
import type { AwayKeys } from './keys.js';
import { BeginBody, EndBody, HeaderBody } from './spool-form.js';

/** One call of a spool, with its end where that was written. */
export interface SpooledCall {
  readonly n: number;
  readonly begin: BeginBody;
  readonly end: EndBody | undefined;
}

/** A spool of that run in which every line stands as its shim wrote it. */
export interface GoodSpool {
  readonly ok: true;
  readonly header: HeaderBody;
  readonly calls: readonly SpooledCall[];
  readonly lines: number;
  readonly first: string;
  readonly last: string;
  readonly torn: boolean;
}

/** Why a spool is not believed. */
export type SpoolReason =
  | 'no_header'
  | 'not_issued'
  | 'other_run'
  | 'other_owner'
  | 'bad_form'
  | 'bad_chain'
  | 'bad_mac'
  | 'out_of_time'
  | 'shorter'
  | 'other_tail'
  | 'used_id';

/** A spool that is not believed, and what can be read of it all the same. */
export interface BadSpool {
  readonly ok: false;
  readonly reason: SpoolReason;
  /** The line at which it broke, where it is one. */
  readonly at: number | undefined;
  readonly id: string | undefined;
  readonly server: string | undefined;
  /** Whether its first line was written by a shim of the run that held the snapshot. */
  readonly ownHeader: boolean;
  /** Calls that it seems to tell of, whoever wrote them. */
  readonly calls: readonly BeginBody[];
}

export type SpoolResult = GoodSpool | BadSpool;

/** What a living shim says that it wrote. */
export interface Claim {
  readonly lines: number;
  readonly calls: number;
  readonly last: string;
}

const FAULTS = { form: 'bad_form', chain: 'bad_chain', mac: 'bad_mac' } as const;

/**
 * Reads a spool: its snapshot is one of ours and was given to that run, each line carries the MAC of the one
 * session that had it and the hash of the line before, and it is as long as its shim says where that one
 * lives.
 */
export function checkSpool(
  keys: AwayKeys,
  runId: string,
  found: {
    readonly text: string;
    readonly claim: Claim | undefined;
    readonly owner: ProcessIdentity | undefined;
  },
): SpoolResult {
  const { text, claim, owner } = found;
  const header = HeaderBody.safeParse(spoolHeader(text)).data;
  const bad = (reason: SpoolReason, at?: number, ownHeader = false): BadSpool => {
    const { id, server_name: server } = header?.head ?? {};
    return { ok: false, reason, at, id, server, ownHeader, calls: readableCalls(text) };
  };
  if (header === undefined) return bad('no_header');
  const { head, signature } = header;
  if (!keys.isOurs(head, signature)) return bad('not_issued');
  if (head.run_id !== runId) return bad('other_run');
  const { lines, fault, torn } = readSpool(keys.spoolKey(runId, head.id), text);
  // A copy of what a living shim has written so far is not what it wrote.
  if (owner !== undefined && !isSameProcess(owner, header.owner)) return bad('other_owner');
  const ownHeader = lines.length > 0;
  if (fault !== undefined) return bad(FAULTS[fault.kind], fault.n, ownHeader);
  const calls = new Map<string, SpooledCall>();
  for (const { n, body } of lines.slice(1)) {
    const begin = BeginBody.safeParse(body).data;
    const end = EndBody.safeParse(body).data;
    const ms = begin?.ms ?? end?.ms;
    if (ms === undefined || ms < head.issued_ms) return bad('bad_form', n, true);
    if (begin !== undefined) {
      if (begin.ms > head.expires_ms) return bad('out_of_time', n, true);
      if (calls.has(begin.call_id) || calls.size >= MAX_SPOOL_CALLS) return bad('bad_form', n, true);
      calls.set(begin.call_id, { n, begin, end: undefined });
    } else if (end !== undefined) {
      const call = calls.get(end.end.call_id);
      if (call === undefined || call.end !== undefined) return bad('bad_form', n, true);
      calls.set(end.end.call_id, { ...call, end });
    }
  }
  const last = lines.at(-1)?.hash ?? '';
  if (claim !== undefined && lines.length < claim.lines) return bad('shorter', lines.length, true);
  if (claim !== undefined && last !== claim.last) return bad('other_tail', lines.length - 1, true);
  return {
    ok: true,
    header,
    calls: [...calls.values()],
    lines: lines.length,
    first: lines[0]?.hash ?? '',
    last,
    torn,
  };
}

function isSameProcess(one: ProcessIdentity, other: ProcessIdentity): boolean {
  return one.pid === other.pid && one.start === other.start;
}

function readableCalls(text: string): readonly BeginBody[] {
  return unverifiedBodies(text)
    .flatMap((body) => BeginBody.safeParse(body).data ?? [])
    .slice(0, MAX_SPOOL_CALLS);
}
