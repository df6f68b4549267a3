import type { Server, Socket } from 'node:net';
import type { JsonObject, ProcessIdentity } from '@subluminal/core-types';

/**
 * How much of what a program reaches is the gateway's, from most to least. `full`: a network of its own,
 * whose every packet ends at the gateway. `named`: the machine's network, with each `connect` replaced by one
 * to the gateway. `any`: the proxy's variables, for programs that heed them.
 */
export const NETWORKS = ['full', 'named', 'any'] as const;
export type Network = (typeof NETWORKS)[number];

/** Takes what comes out of a world. */
export interface Arrivals {
  /** A connection to the address and port that the program meant. The socket is paused. */
  readonly connected: (client: Socket, address: string, port: number) => void;
  /** A question about a name, as it came; undefined if it gets no answer. Never rejects. */
  readonly asked: (question: Buffer) => Promise<Buffer | undefined>;
  /** Something came that no program sends by accident. */
  readonly malformed: () => void;
}

/** The mark that tells a network apart from every other one, also when the gateway that had it is gone. */
export interface KeptNetwork {
  /** The kernel's own number of it (`SO_NETNS_COOKIE`), which no other one gets. */
  readonly cookie: string;
}

/** A network of a world's own, into which the gateway can reach. */
export interface OwnNamespace {
  /** Undefined if the kernel tells no networks apart: another gateway cannot take it over. */
  readonly kept: KeptNetwork | undefined;
  /** The process whose network it is. */
  readonly holder: ProcessIdentity;
  /** Listens on a port of the world's own loopback. Throws `not_available`. */
  readonly listen: (port: number) => Promise<Server>;
}

/** The network of one world, and what the gateway holds of it. */
export interface Doors {
  readonly network: Network;
  /** Where it is, for whoever starts the program: part of the answer, and of no record. */
  readonly place: JsonObject;
  /** The namespace that it is, if it is one of its own. */
  readonly namespace: OwnNamespace | undefined;
  /** Begins to serve. Called once. */
  serve(arrivals: Arrivals): void;
  /** Resolves when whatever held it has ended. */
  readonly ended: Promise<void>;
  /** Ends it, and everything that the gateway holds. */
  close(): void;
}

/** The network of a program that is told of the proxy, and of which the gateway holds nothing. */
export function noDoors(): Doors {
  return {
    network: 'any',
    place: {},
    namespace: undefined,
    serve: () => undefined,
    ended: new Promise(() => undefined),
    close: () => undefined,
  };
}
