import type { Socket } from 'node:net';
import { destinationFor } from '@subluminal/egress';
import type { Behind } from '../behind.js';
import type { Carried } from '../carry/carriage.js';
import { ClientGone } from '../client/client-input.js';
import { Denial } from '../denial.js';
import type { Feed } from '../carry/feed.js';
import type { InjectWith } from '../inspect/injector.js';
import type { InjectTally } from '../inspect/inspection.js';
import type { Opened } from '../opened.js';
import type { NetAsk } from '../net-ask.js';
import type { RunLink } from '../run-link.js';

/** A connection that was decided on and made. */
export interface Reached {
  readonly opened: Opened;
  readonly server: Socket;
  readonly feed: Feed;
  /** Canonical. */
  readonly host: string;
  /** What is put in on it; `server` is secure then. */
  readonly inject: InjectWith | undefined;
}

/**
 * Asks for a connection and makes it, to the addresses that were judged and no others. A client that leaves
 * meanwhile leaves nothing behind. Throws `Denial`, or `ClientGone`.
 */
export async function reach(behind: Behind, link: RunLink, ask: NetAsk, client: Socket): Promise<Reached> {
  const opened = await link.connect(ask);
  const gone = (): void => opened.cut('cut', new Denial('failed', 'the client has gone'));
  const { limits, dialer, monotonic } = behind;
  const startedAt = monotonic();
  client.once('close', gone);
  try {
    if (client.destroyed) gone();
    const { addresses, allow_private: allowPrivate } = opened.decision;
    const destination = destinationFor('tcp', ask.host, ask.port);
    const feed = behind.feeds.lend();
    const checked = { ...destination, addresses, allowPrivate };
    if (opened.decision.inspected) {
      const { host } = destination;
      const inspected = { runId: link.runId, ask, host };
      const found = behind.injector.for(inspected);
      opened.inspected = [inspected, found.live.map(({ injectAs }) => injectAs)];
      const inject = { ...found, sought: await behind.injector.soughtFor(found.live) };
      const secure = { ...destinationFor('https', host, ask.port), addresses, allowPrivate };
      const server = await dialer.connect(secure, limits.dialMs, opened.signal);
      return { opened, server, feed, host, inject };
    }
    const server = await dialer.openPlain(checked, limits.dialMs, opened.signal, feed);
    return { opened, server, feed, host: destination.host, inject: undefined };
  } catch (error) {
    const none = { bytesUp: 0, bytesDown: 0 };
    if (client.destroyed) {
      opened.end({ outcome: 'closed', detail: 'the client left before there was a connection', ...none });
      throw new ClientGone('the client has gone');
    }
    const denial = dialDenial(error, monotonic() - startedAt >= limits.dialMs);
    const outcome = opened.signal.aborted ? 'cut' : 'failed';
    opened.end({ outcome, code: denial.code, detail: denial.message, ...none });
    throw denial;
  } finally {
    client.off('close', gone);
  }
}

function dialDenial(error: unknown, isLate: boolean): Denial {
  const denial = Denial.of(error);
  return isLate && denial.code === 'adapter_failed' ? new Denial('timed_out', denial.message) : denial;
}

/** What flows on a connection, and what its handshake says, where there is one. */
export interface Flow {
  readonly carriage: Carried;
  readonly hello?: () => { readonly sni: string | undefined; readonly isEncrypted: boolean };
  readonly tally?: () => InjectTally;
}

/** Lets it flow, waits for its end, and records that. */
export async function carryToTheEnd(
  behind: Pick<Behind, 'feeds'>,
  { opened, server, feed }: Reached,
  flow: () => Flow,
): Promise<void> {
  const address = server.remoteAddress;
  const reached = address === undefined ? {} : { address };
  try {
    const { carriage, hello, tally } = flow();
    opened.carries(carriage);
    const end = await carriage.over;
    behind.feeds.giveBack(feed);
    const said = hello?.();
    const { bytesUp, bytesDown } = carriage;
    const counted = tally === undefined ? {} : { tally: tally() };
    opened.end({
      ...end,
      ...(said?.sni === undefined ? {} : { sni: said.sni }),
      ...(said === undefined ? {} : { ech: said.isEncrypted }),
      ...counted,
      ...reached,
      bytesUp,
      bytesDown,
    });
  } catch (error) {
    server.destroy();
    opened.end({ outcome: 'failed', code: 'failed', ...reached, bytesUp: 0, bytesDown: 0 });
    throw error;
  }
}
