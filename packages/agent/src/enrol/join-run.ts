import {
  errorOf,
  type ActionResponse,
  type Credential,
  isJsonObject,
  isSublError,
  type ProcessIdentity,
  SublError,
  type Ticket,
} from '@subluminal/core-types';
import {
  commandLine,
  credentialOf,
  type GatewayClient,
  type HomePaths,
  makeTicketFolder,
  processIdentity,
  readCredential,
  readTicket,
  readWorldTicket,
  ticketPath,
  writeTicket,
} from '@subluminal/ipc';
import { clientProcess } from './client-process.js';
import { takeLock } from './lock.js';
import type { RunLabels } from './run-labels.js';

const TIMEOUT_MS = 10_000;

export interface JoinOptions {
  readonly paths: HomePaths;
  readonly labels: RunLabels;
  /** The processes that whoever joins stands below, the nearest first: the client, and what started it. */
  readonly lineage: readonly ProcessIdentity[];
  /** The process that joins, where it is below these; undefined where it is the nearest of them. */
  readonly joins: ProcessIdentity | undefined;
  /** Opens a connection with this key, starting a gateway where that is wanted. */
  readonly connect: (credential: Credential) => Promise<GatewayClient>;
  /** Makes sure that a gateway runs, so that it has written its keys. */
  readonly ensureGateway: () => Promise<void>;
  /** Told what the gateway has to say to people when it opens the run. */
  readonly log?: (line: string) => void;
}

/**
 * The run that a process belongs to (ARCHITECTURE.md, "Keys, credentials, runs"): that of the world around
 * it; else that of its nearest ancestor with a ticket; else one that is opened for the client with the enrol
 * key, so that all servers of one client share it. The first server opens it, the others join. Errors: those
 * of the gateway (`ticket_required`, `too_many_enrolments`, …), `gateway_unreachable`, `key_missing`,
 * `home_unsafe`.
 */
export async function joinRun(options: JoinOptions): Promise<Ticket> {
  const { paths, lineage } = options;
  const inside = readWorldTicket();
  if (inside !== undefined) return inside;
  for (const one of lineage) {
    // One that cannot be trusted is an error, never a reason to look further up.
    const ticket = readTicket(paths, one);
    if (ticket !== undefined) return ticket;
  }
  const me = processIdentity(process.pid);
  const parent = clientProcess({ joins: options.joins, ancestors: lineage, commandLine });
  if (me === undefined || parent === undefined) {
    throw new SublError('failed', 'the process that started this one is gone');
  }
  makeTicketFolder(paths);
  const release = await takeLock({
    path: `${ticketPath(paths, parent)}.lock`,
    me,
    timeoutMs: TIMEOUT_MS,
    done: () => readTicket(paths, parent) !== undefined,
  });
  try {
    return readTicket(paths, parent) ?? (await openRun(options, parent));
  } finally {
    release?.();
  }
}

async function openRun(options: JoinOptions, holder: ProcessIdentity): Promise<Ticket> {
  const enrolment = await options.connect(await enrolmentKey(options));
  try {
    return await open(options, enrolment, holder);
  } finally {
    enrolment.close();
  }
}

/** In a new home the key appears with the first start of a gateway. */
async function enrolmentKey(options: JoinOptions): Promise<Credential> {
  try {
    return readCredential(options.paths.enrolKey);
  } catch (error) {
    if (!isSublError(error, 'key_missing')) throw error;
    await options.ensureGateway();
    return readCredential(options.paths.enrolKey);
  }
}

async function open(
  options: JoinOptions,
  enrolment: GatewayClient,
  holder: ProcessIdentity,
): Promise<Ticket> {
  const { labels, paths } = options;
  const answer = await enrolment.request('run.begin', {
    agent_id: labels.agentId,
    client: labels.client,
    env: labels.env,
    holder,
    principal: labels.principal,
    workload: labels.workload,
    ...(labels.claimedRunId === undefined ? {} : { claimed_run_id: labels.claimedRunId }),
  });
  const { remark, ...opened } = openedRun(answer);
  if (remark !== undefined) options.log?.(remark);
  const ticket: Ticket = {
    v: 1,
    ...opened,
    agent_id: labels.agentId,
    client: labels.client,
    env: labels.env,
    attested: false,
  };
  if (writeTicket(paths, holder, ticket)) return ticket;
  // Only when a stale lock was taken over by two at once: the first ticket stands, and our run stays empty.
  const first = readTicket(paths, holder);
  if (first === undefined)
    throw new SublError('failed', 'the ticket of the run disappeared while it was joined');
  await endUnused(options, ticket);
  return first;
}

function openedRun(answer: ActionResponse): {
  run_id: string;
  credential: Credential;
  remark: string | undefined;
} {
  if (answer.status !== 'success') throw errorOf(answer);
  const data = isJsonObject(answer.data) ? answer.data : {};
  const { run_id: runId, policy_remark: remark } = data;
  const credential = credentialOf(data['credential'] ?? null);
  if (typeof runId !== 'string' || credential?.kind !== 'run' || credential.id !== runId) {
    throw new SublError('gateway_unreachable', 'the gateway opened a run but gave no key for it');
  }
  return { run_id: runId, credential, remark: typeof remark === 'string' ? remark : undefined };
}

async function endUnused(options: JoinOptions, ticket: Ticket): Promise<void> {
  const client = await options.connect(ticket.credential);
  try {
    await client.request('run.end', { status: 'CANCELLED', message: 'another process opened the run first' });
  } finally {
    client.close();
  }
}
