import type { Resolver } from '@subluminal/egress';
import type { PipelineCall } from './call.js';

/** The addresses that the pending entry names: decided again, they are judged again and no other is dialled. */
export function recordedResolver(call: PipelineCall): Resolver | undefined {
  const addresses = call.pendingSeq === undefined ? undefined : call.decided?.destination?.addresses;
  return addresses === undefined ? undefined : { resolve: () => Promise.resolve(addresses) };
}
