import type { Client, Unrouted, WrittenEntry } from '../client.js';

/** The source text of one entry; see `Client.sources`. */
export function sourceOfOne(client: Client, text: string, pointer: readonly string[]): string | undefined {
  return client.sources(text)(pointer);
}

/** One entry put back: the text without it, or why it stays; see `Client.unroute`. */
export function unrouteOne(
  client: Client,
  text: string,
  pointer: readonly string[],
  back: WrittenEntry | undefined,
): (Unrouted & { readonly how: string; readonly text: string }) | (Unrouted & { readonly kept: string }) {
  const done = client.unroute(text, [{ pointer, back }]);
  const [became] = done.became;
  if (became === undefined) throw new RangeError('nothing became of the entry');
  return 'kept' in became ? became : { ...became, text: done.text };
}
