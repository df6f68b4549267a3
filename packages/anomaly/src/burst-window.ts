/**
 * Arrivals by client over a short window. Memory is bounded: at most `limit + 1` times for each of
 * `maxClients` clients, and clients that have been silent for a window make room.
 */
export class BurstWindow {
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #maxClients: number;
  readonly #arrivals = new Map<string, number[]>();

  constructor(limit: number, windowMs: number, maxClients: number) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#maxClients = maxClients;
  }

  /**
   * Counts one arrival and gives how many this client had within the window, itself included and counted up
   * to `limit + 1`. When too many clients are busy at once the newcomer counts as over the limit.
   */
  arrive(client: string, now: number): number {
    let times = this.#arrivals.get(client);
    if (times === undefined) {
      if (this.#arrivals.size >= this.#maxClients) this.#forgetSilent(now);
      if (this.#arrivals.size >= this.#maxClients) return this.#limit + 1;
      times = [];
    }
    times = times.filter((time) => now - time < this.#windowMs).slice(-this.#limit);
    times.push(now);
    // Deleted first, so that the map stays in the order of the last arrival.
    this.#arrivals.delete(client);
    this.#arrivals.set(client, times);
    return times.length;
  }

  /**
   * Counts arrivals of an earlier process, `times` ascending. To be called before the first `arrive` of that
   * client.
   */
  restore(client: string, times: readonly number[]): void {
    if (this.#arrivals.size < this.#maxClients) this.#arrivals.set(client, times.slice(-this.#limit - 1));
  }

  #forgetSilent(now: number): void {
    for (const [client, times] of this.#arrivals) {
      const last = times.at(-1);
      if (last !== undefined && now - last < this.#windowMs) return;
      this.#arrivals.delete(client);
    }
  }
}
