import { SublError } from '@subluminal/core-types';
import { isIP } from 'node:net';
import { type AddressVerdict, type Leave, mayDial, placeVerdict } from './address-check.js';
import { startDeadline } from './deadline.js';
import { codeOf } from './error-code.js';
import type { Destination } from './destination.js';

/** Turns a canonical host name into all its addresses, in the order in which they are to be tried. */
export interface Resolver {
  /** `asker` is the run that wants to know, undefined for the operator. */
  resolve(host: string, signal: AbortSignal, asker: string | undefined): Promise<readonly string[]>;
}

/** A destination whose addresses were judged. The dialer takes nothing else, and dials none but these. */
export interface CheckedDestination extends Destination {
  readonly addresses: readonly string[];
  /** The leave that it was judged with; where that was `inside`, whether one of them needed it. */
  readonly allowPrivate: boolean;
}

/** More addresses than any honest name has. */
const MAX_ADDRESSES = 64;

/** The options of `resolveDestination`. */
export interface ResolveOptions {
  readonly resolver: Resolver;
  /** The run that it is for, undefined for the operator. */
  readonly asker: string | undefined;
  readonly allowPrivate: Leave;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

/**
 * Resolves a destination once and judges every address. This is the only resolution of a decision: what it
 * returns is dialled as it is, so a name that answers differently a moment later gains nothing.
 *
 * Throws `resolve_failed`, `timed_out`, `address_refused`, or what `signal` was aborted with. An answer that
 * comes after the limit is dropped.
 */
export async function resolveDestination(
  destination: Destination,
  options: ResolveOptions,
): Promise<CheckedDestination> {
  if (isIP(destination.host) !== 0) {
    return checkAddresses(destination, [destination.host], options.allowPrivate);
  }
  const addresses = await lookUp(destination, options);
  return checkAddresses(destination, addresses, options.allowPrivate);
}

/**
 * Refuses the destination if any of its addresses is refused: there is no picking, since a name that mixes
 * public and private addresses is either broken or an attack. `allowPrivate` lifts private, loopback,
 * link-local, shared, unique local and metadata addresses, nothing else; `inside` the same without link-local
 * and metadata. Throws `address_refused`, or `resolve_failed` if there is none.
 */
export function checkAddresses(
  destination: Destination,
  addresses: readonly string[],
  allowPrivate: Leave,
): CheckedDestination {
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) {
    throw new SublError(
      'resolve_failed',
      `\`${destination.host}\` has ${addresses.length} addresses, and 1 to ${MAX_ADDRESSES} can be used`,
    );
  }
  let needsLeave = false;
  for (const address of addresses) {
    const verdict = placeVerdict(address, destination.port);
    if (!mayDial(verdict, allowPrivate)) throw refused(destination, address, verdict);
    needsLeave ||= verdict !== 'public';
  }
  const isAllowed = allowPrivate === 'inside' ? needsLeave : allowPrivate;
  return { ...destination, addresses: [...addresses], allowPrivate: isAllowed };
}

async function lookUp(destination: Destination, options: ResolveOptions): Promise<readonly string[]> {
  const { host } = destination;
  const { resolver, asker, timeoutMs } = options;
  const tooSlow = (): SublError =>
    new SublError('timed_out', `\`${host}\` was not resolved within ${timeoutMs} ms`);
  const deadline = startDeadline(timeoutMs, options.signal, tooSlow);
  try {
    return await deadline.race(resolver.resolve(host, deadline.signal, asker));
  } catch (error) {
    const reason = deadline.reason() ?? error;
    if (reason instanceof SublError) throw reason;
    throw new SublError('resolve_failed', `\`${host}\` cannot be resolved${codeOf(reason)}`, {
      cause: reason,
    });
  } finally {
    deadline.end();
  }
}

function refused(destination: Destination, address: string, verdict: AddressVerdict): SublError {
  const what =
    address === destination.host
      ? `\`${destination.origin}\` is refused`
      : `\`${destination.origin}\` is refused: it resolves to \`${address}\``;
  return new SublError('address_refused', `${what} (${verdict})`, { details: { address, verdict } });
}
