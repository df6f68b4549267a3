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

/** Why a client and a gateway of two protocols do not talk, and what to do about it. */
export function describeMismatch(
  client: Speaks,
  gateway: Speaks,
): { readonly message: string; readonly help: string } {
  const message =
    `this client is version ${client.version} and speaks protocol ${client.protocol}, ` +
    `the gateway is version ${gateway.version} and speaks protocol ${gateway.protocol}`;
  const help =
    client.protocol < gateway.protocol
      ? 'restart the client: it is older than the gateway'
      : 'run `sub up --restart`: the gateway is older than the client';
  return { message, help };
}
