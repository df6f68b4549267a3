/**
 * The number of the protocol that two programs of Subluminal share to work together: handshake, signatures,
 * frames and payloads. Raised by every change after which an older client and a newer gateway, or the other
 * way round, would misunderstand each other, or after which one of them would leave out what the other relies
 * on: since 2 a shim reports the tools of its server, without which nothing is pinned; since 3 it says in
 * which folder the server runs, without which its relative paths are not read. There is no older mode:
 * programs of two numbers do not talk.
 */
export const PROTOCOL = 3;

/** A program's words about itself, in the first requests of a connection and in `run/gateway.json`. */
export interface Speaks {
  readonly protocol: number;
  /** Version of Subluminal: for people, nothing is decided by it. */
  readonly version: string;
}

/** The side of a client: the operator's `sub`, or a shim or a server of hooks beside an agent. */
export type ClientSide = 'agent' | 'operator';

/**
 * The next step, by how a client stands to its gateway. Of an `older` or `newer` protocol, or `silent` about
 * it, they do not talk; of the same protocol and a version `behind` or `ahead` they do. An agent reads of no
 * verb that only its operator may use.
 */
const NEXT_STEPS = {
  operator: {
    older: 'use the `sub` that the gateway was started with, or a newer one: this one is older',
    newer: 'run `sub up --restart`: the gateway is older than this `sub`',
    silent: 'use the `sub` that the gateway was started with',
    behind: 'install the newer one here, too',
    ahead: '`sub up --restart` replaces it, and runs go on',
  },
  agent: {
    older: 'restart the client: it is older than the gateway',
    newer: 'a person has to restart the gateway: it is older than the client',
    silent: 'restart the client with the version of subluminal that this gateway has',
  },
} as const;

export function nextStep<Side extends ClientSide>(
  side: Side,
  misfit: keyof (typeof NEXT_STEPS)[Side] & string,
): string {
  const steps: Readonly<Record<string, string>> = NEXT_STEPS[side];
  return steps[misfit] ?? '';
}

/** Why a client and a gateway of two protocols do not talk, and what to do about it. */
export function describeMismatch(
  side: ClientSide,
  client: Speaks,
  gateway: Speaks,
): { readonly message: string; readonly help: string } {
  const message =
    `this client is version ${client.version} and speaks protocol ${client.protocol}, ` +
    `the gateway is version ${gateway.version} and speaks protocol ${gateway.protocol}`;
  return { message, help: nextStep(side, client.protocol < gateway.protocol ? 'older' : 'newer') };
}

/** How a client stands to a gateway that it talks to, by their versions; undefined if these are one. */
export function versionMisfit(client: string, gateway: string): 'ahead' | 'behind' | undefined {
  if (client === gateway) return undefined;
  return isNewer(gateway, client) ? 'behind' : 'ahead';
}

/** Compares two versions by their numbers; what is no number is older than any. */
export function isNewer(one: string, other: string): boolean {
  const [a, b] = [numbersOf(one), numbersOf(other)];
  for (let at = 0; at < 3; at += 1) {
    const difference = (a[at] ?? -1) - (b[at] ?? -1);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function numbersOf(version: string): readonly number[] {
  const [, ...numbers] = /^([0-9]{1,6})\.([0-9]{1,6})\.([0-9]{1,6})/.exec(version) ?? [];
  return numbers.map(Number);
}
