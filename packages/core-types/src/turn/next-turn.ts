/**
 * Resolves in the next turn of the event loop, after what waits already. A turn reads sockets before its
 * immediates: the first immediate of who is called by a socket is in the same turn, the second one is not.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => setImmediate(resolve));
  });
}
