import type { ProcessIdentity } from '@subluminal/core-types';
import {
  type Clock,
  type InnerAsker,
  type InnerSession,
  type KeyRing,
  type Logger,
  type RandomBytes,
  type Recorder,
  RefusedPeers,
  type RunRegistry,
  type Settings,
  Turns,
  type Wing,
} from '@subluminal/gateway';
import { defaultHome, type HomePaths, runAmong, runAround, runsNamedBy } from '@subluminal/ipc';
import type { Ledger } from '@subluminal/ledger';
import { DEFAULT_HTTP_LIMITS, doorServer, DoorSockets, ownerOf, PeerProcesses } from '@subluminal/remote';
import {
  ownHost,
  ownPort,
  PAGE_FOLDER,
  type PageFile,
  Peers,
  Reader,
  layerVerbs,
  readPage,
  ruleVerbs,
  Sessions,
  SUB_PROGRAM,
  SubChildren,
  UI_SECTION,
  type UiActions,
  uiActions,
  UiDoor,
  UiServing,
} from '@subluminal/ui';

const MAX_CONNECTIONS = 64;
const MAX_HEADER_BYTES = 16_384;
const HEADERS_MS = 10_000;
/** The door shuts so long after its last session. */
const UNUSED_MS = 12 * 3_600_000;
const LOOK_MS = 60_000;

/** The parts that the page is wired from. */
export interface UiFoundation {
  readonly paths: HomePaths;
  readonly keys: KeyRing;
  readonly settings: Pick<Settings, 'of'>;
  readonly ledger: Pick<Ledger, 'head' | 'onCommit'>;
  readonly registry: RunRegistry;
  readonly openSession: (asker: InnerAsker, onEnd: () => void) => InnerSession | undefined;
  readonly recorder: Recorder;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly log: Logger;
}

/** The page: nothing listens before the operator asks for it. */
export interface ComposedUi extends Wing {
  readonly actions: UiActions;
  /** Undefined while its door is shut. */
  readonly port: () => number | undefined;
}

export function composeUi(from: UiFoundation): ComposedUi {
  const { clock, keys, ledger, log, openSession, paths, random, recorder, settings } = from;
  const refused = new RefusedPeers(recorder, clock);
  const host = ownHost(keys.deriveOwn('ui-host', keys.ledgerId), process.platform);
  const head = (): number => ledger.head().seq;
  const onCommit = (listener: () => void): (() => void) => ledger.onCommit(listener);
  const reader = new Reader({ ledgerDb: paths.ledgerDb, policyFile: paths.policy, head, onCommit, log });
  const children = new SubChildren({
    program: SUB_PROGRAM,
    home: paths.home,
    assertMayStart: (asker, isUnlocked) => sessions.assertMayAsk(asker, isUnlocked),
  });
  const layers = layerVerbs(children);
  const rules = ruleVerbs(children, paths.policy);
  let usedAt = clock();
  const sessions = new Sessions({
    clock,
    random,
    openSession,
    onEnd: (session) => {
      usedAt = clock();
      serving.pages.ended(session);
    },
  });
  let files: ReadonlyMap<string, PageFile> = new Map();
  const serving = new UiServing({
    ledgerId: keys.ledgerId,
    defaultHome: defaultHome(),
    host,
    head,
    reader,
    sessions,
    peers: peersOf(from, reader),
    layers,
    rules,
    files: () => files,
    refused,
    now: clock,
    log,
  });
  const door = new UiDoor({
    port: () => settings.of(UI_SECTION)?.port ?? ownPort(keys.ledgerId),
    create: () => {
      const sockets = new DoorSockets(MAX_CONNECTIONS);
      const { stallMs } = DEFAULT_HTTP_LIMITS;
      const limits = { headersMs: HEADERS_MS, maxHeaderBytes: MAX_HEADER_BYTES, stallMs };
      const at = (): number => door.port ?? 0;
      const server = doorServer(
        {
          from: 'loopback',
          limits,
          refused,
          sockets,
          upgrade: (request, socket, rest) => serving.upgrade(request, socket, rest, at()),
        },
        (request, response) => serving.handle(request, response, at()),
      );
      return { server, destroy: () => sockets.destroy() };
    },
    log,
  });
  const shut = async (): Promise<void> => {
    sessions.endAll();
    serving.pages.close();
    await door.close();
    await reader.stop();
  };
  let looking: NodeJS.Timeout | undefined;
  return {
    name: 'ui',
    port: () => door.port,
    actions: uiActions({
      listen: async () => {
        files = readPage(PAGE_FOLDER);
        usedAt = clock();
        return { port: await door.listen(), host, code: sessions.makeCode() };
      },
      unlock: () => sessions.makeUnlock(),
      layers,
      rules,
      end: async () => {
        const { size } = sessions;
        await shut();
        return size;
      },
    }),
    status: () => ({
      port: door.port ?? null,
      sessions: sessions.size,
      sockets: serving.pages.size,
      reading: reader.isRunning,
    }),
    start: () => {
      looking = setInterval(() => {
        sessions.sweep();
        if (door.port === undefined || sessions.size > 0 || clock() - usedAt < UNUSED_MS) return;
        shut().catch((error: unknown) =>
          log.error('the door of the page did not shut', { error: String(error) }),
        );
      }, LOOK_MS);
      looking.unref();
      return Promise.resolve();
    },
    stop: async () => {
      clearInterval(looking);
      children.end();
      await shut();
      refused.flush();
    },
  };
}

function peersOf({ paths, registry }: UiFoundation, reader: Reader): Peers {
  const processes = new PeerProcesses(new Turns(() => performance.now()));
  const around = async (asker: ProcessIdentity): Promise<string | undefined> => {
    const live = registry.all().map(({ holder, id }) => ({ runId: id, holder }));
    const named = runsNamedBy(asker);
    const found = runAround(paths, asker, named) ?? runAmong(live, asker, named);
    if (found !== undefined) return found;
    // Processes that a run has left behind belong to it, also when it is over.
    if (named.length === 0) return undefined;
    const [known] = JSON.parse(await reader.ask({ ask: 'known', runs: named })) as readonly string[];
    return known;
  };
  return new Peers({
    processOf: (peerPort, ownEnd) => processes.of(peerPort, ownEnd),
    ownerOf: (peerPort, ownEnd) => ownerOf(peerPort, ownEnd),
    runAround: around,
    uid: process.platform === 'linux' ? process.getuid?.() : undefined,
  });
}
