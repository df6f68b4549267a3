import type { JsonObject } from '@subluminal/core-types';
import type { Finding, Read, Sends, Target } from '@subluminal/gateway';
import { bytesText, spanText } from '../words.js';

/** Less upwards on a connection is a request. */
const SEND_BYTES = 65_536;
/** The same in a run that read something private. */
const PRIVATE_SEND_BYTES = 4096;

/** Whether a connection has sent something, and did not only ask. */
export function isSend(up: number, down: number, hasPrivate: boolean): boolean {
  return hasPrivate ? up >= PRIVATE_SEND_BYTES : up >= SEND_BYTES && up > down;
}

/**
 * That something goes to where nothing had gone before something was read that others can write. `ts`: when
 * it goes, epoch ms.
 */
export function sendAfterRead(
  { what, targets }: Sends,
  ts: number,
  { newest, private: own }: { readonly newest: Read; readonly private: Read | undefined },
  agent: string,
): Finding {
  const to = targetsText(targets);
  const also =
    own === undefined || own.what === newest.what ? '' : `, and private data from ${own.what} (${own.ref})`;
  return {
    kind: 'send_after_untrusted_read',
    summary: `${what} to ${to}, new to \`${agent}\`, ${spanText(ts - newest.ts)} after reading from ${newest.what} (${newest.ref})${also}`,
    facts: {
      agent,
      sent: what,
      to: targets.map(({ shown }) => shown).slice(0, MAX_SHOWN),
      read: readData(newest),
      ...(own === undefined ? {} : { private: readData(own) }),
    },
  };
}

/** A connection that sent so much. */
export function connectionSends(host: string, up: number): Sends {
  return { what: bytesText(up), targets: [{ place: host, shown: host, isHost: true }] };
}

const MAX_SHOWN = 3;

function targetsText(targets: readonly Target[]): string {
  const domains = [...new Set(targets.map(({ shown }) => `\`${shown}\``))];
  const more = domains.length > MAX_SHOWN ? ` and ${domains.length - MAX_SHOWN} more` : '';
  const names = `${domains.slice(0, MAX_SHOWN).join(', ')}${more}`;
  if (targets[0]?.isHost === true) return names;
  return `${targets.length === 1 ? 'an address' : `${targets.length} addresses`} at ${names}`;
}

function readData({ what, ts, ref }: Read): JsonObject {
  return { what, at: new Date(ts).toISOString(), audit_ref: ref };
}
