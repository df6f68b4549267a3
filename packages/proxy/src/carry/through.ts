import type { Socket } from 'node:net';
import type { Behind } from '../behind.js';
import { inspect } from '../inspect/inspect.js';
import { carryToTheEnd, type Reached } from '../judge/reach.js';
import type { RunLink } from '../run-link.js';
import type { CarriageParts } from './carriage.js';
import { openTunnel } from './tunnel.js';

/** The parts with which each connection of a run is carried. */
export function carriageParts(
  { limits, share, monotonic }: Behind,
  link: RunLink,
  client: Socket,
  { server, feed }: Reached,
): CarriageParts {
  const spend = (bytes: number): number => link.meter.spend(bytes);
  return { client, server, feed, share, monotonic, spend, lingerMs: limits.lingerMs };
}

/** A connection that a client asked for by a host and a port, once it is there. */
export interface Granted {
  readonly client: Socket;
  readonly reached: Reached;
  readonly port: number;
  /** The answer by which the client is told; undefined where it takes the connection itself for that. */
  readonly answer: Buffer | undefined;
  /** The bytes that were read of the client already. */
  readonly rest: Buffer | undefined;
  /** Counts bytes besides the run's count, as `RunMeter.spend`; undefined where nobody does. */
  readonly spend: ((bytes: number) => number) | undefined;
}

/**
 * Tells the client, and carries what it says to the end: inspected where secrets are put in, else as it is.
 */
export function carryThrough(
  behind: Behind,
  link: RunLink,
  { client, reached, port, answer, rest, spend: also }: Granted,
): Promise<void> {
  const { limits, strict, injector } = behind;
  const { host, opened } = reached;
  const common = carriageParts(behind, link, client, reached);
  const parts = {
    ...common,
    spend: (bytes: number) => Math.max(also?.(bytes) ?? 0, common.spend(bytes)),
    firstMs: limits.headMs,
    maxHeadBytes: limits.maxHeadBytes,
  };
  return carryToTheEnd(behind, reached, () => {
    if (answer !== undefined) client.write(answer);
    if (reached.inject !== undefined) return inspect({ ...parts, reached, port }, rest);
    const { tls, plain, raw } = opened.decision;
    const tunnel = {
      ...parts,
      decided: { host, port, tls, plain, raw, strict },
      judge: (request: Parameters<typeof injector.assertNone>[2]) =>
        injector.assertNone(link.runId, host, request),
    };
    const { carriage, first } = openTunnel(tunnel, rest);
    return { carriage, hello: () => first };
  });
}
