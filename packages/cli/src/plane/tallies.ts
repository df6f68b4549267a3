import { PLANE_ENTRIES, type PlaneEntryType } from '@subluminal/core-types';
import type { LedgerReader, LedgerRow } from '@subluminal/ledger';

/** Entries of a type that are counted, the newest ones. */
const MOST = 20_000;
const PAGE = 1000;

/** The entries of the plane by client, in numbers: no figure says whether a boundary was right. */
export interface PlaneTally {
  readonly client: string;
  readonly sessions: number;
  readonly boundaries: Readonly<Record<string, number>>;
  readonly steers: number;
  readonly checkpoints: Readonly<Record<string, number>>;
  /** Things that were not done, with the reason, as `steer: mode`. */
  readonly skips: Readonly<Record<string, number>>;
  readonly signalsOff: readonly string[];
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  }
}

class ClientTally {
  readonly sessions = new Set<string>();
  readonly boundaries = new Counts();
  readonly checkpoints = new Counts();
  readonly skips = new Counts();
  readonly off = new Set<string>();
  steers = 0;
}

/** Counts what the record has of the plane, of each type the newest 20,000 entries. */
export function planeTallies(reader: LedgerReader): readonly PlaneTally[] {
  const clients = new Map<string, ClientTally>();
  const of = (client: string, session: string): ClientTally => {
    const tally = clients.get(client) ?? new ClientTally();
    clients.set(client, tally);
    tally.sessions.add(session);
    return tally;
  };
  for (const { data } of rowsOf(reader, 'plane.boundary')) {
    const read = PLANE_ENTRIES['plane.boundary'].safeParse(data);
    if (!read.success) continue;
    for (const why of read.data.why) of(read.data.of.client, read.data.of.session).boundaries.add(why);
  }
  for (const { data } of rowsOf(reader, 'plane.steer')) {
    const read = PLANE_ENTRIES['plane.steer'].safeParse(data);
    if (read.success) of(read.data.of.client, read.data.of.session).steers += 1;
  }
  for (const { data } of rowsOf(reader, 'plane.checkpoint')) {
    const read = PLANE_ENTRIES['plane.checkpoint'].safeParse(data);
    if (read.success) of(read.data.of.client, read.data.of.session).checkpoints.add(read.data.mechanism);
  }
  for (const { data } of rowsOf(reader, 'plane.skip')) {
    const read = PLANE_ENTRIES['plane.skip'].safeParse(data);
    if (read.success)
      of(read.data.of.client, read.data.of.session).skips.add(`${read.data.what}: ${read.data.reason}`);
  }
  for (const { data } of rowsOf(reader, 'plane.signal_off')) {
    const read = PLANE_ENTRIES['plane.signal_off'].safeParse(data);
    if (read.success) of(read.data.of.client, read.data.of.session).off.add(read.data.signal);
  }
  return [...clients].map(([client, tally]) => ({
    client,
    sessions: tally.sessions.size,
    boundaries: tally.boundaries.all,
    steers: tally.steers,
    checkpoints: tally.checkpoints.all,
    skips: tally.skips.all,
    signalsOff: [...tally.off].toSorted(),
  }));
}

function* rowsOf(reader: LedgerReader, type: PlaneEntryType): Generator<LedgerRow> {
  let cursor: number | null = null;
  for (let count = 0; count < MOST; count += PAGE) {
    const page: ReturnType<LedgerReader['byType']> = reader.byType(type, { limit: PAGE, cursor });
    yield* page.rows;
    if (page.next === null) return;
    cursor = page.next;
  }
}
