import type { Network } from '@subluminal/worlds';

/** How much of what a program does is held by each network that a world can have. */
export const HELD: Readonly<Record<Network, string>> = {
  full: 'a network, files and processes of its own: every connection is the gateway’s',
  named: 'the machine’s network, with each connection of TCP replaced by the gateway’s; files by Landlock',
  any: 'the proxy’s variables alone: what heeds no proxy connects past the gateway, and all files are seen',
};

/** Tells that a world is weaker than it could be, and why as far as that is known. */
export function weakerLine(network: Network, shortfall: string | undefined): string {
  const why = shortfall === undefined ? '' : ` (${shortfall})`;
  return `this world has the network \`${network}\`${why}: ${HELD[network]}`;
}

/** The network of a world, as `weakerLine` told it: nothing is said of a full one. */
export function networkIn(words: string): Network {
  const told = /^sub: this world has the network `(named|any)`/m.exec(words)?.[1];
  return told === 'named' || told === 'any' ? told : 'full';
}
