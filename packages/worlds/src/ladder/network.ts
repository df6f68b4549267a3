/** How much of what a program reaches is the gateway's, from most to least, as `world.open` has it. */
export const NETWORKS = ['full', 'named', 'any'] as const;
export type Network = (typeof NETWORKS)[number];

/** The network of that name; undefined for a name that is none. */
export function networkOf(name: string): Network | undefined {
  return NETWORKS.find((network) => network === name);
}

/** The next weaker one; undefined behind the last. */
export function weakerThan(network: Network): Network | undefined {
  return NETWORKS[NETWORKS.indexOf(network) + 1];
}
