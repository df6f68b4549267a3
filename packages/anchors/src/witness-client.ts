import { readNote, SublError, type VerifierKey, verifyNote } from '@subluminal/core-types';
import {
  type Dialer,
  exchange,
  type HttpResponse,
  parseEndpoint,
  resolveDestination,
  type Resolver,
} from '@subluminal/egress';

/** What a conversation with a witness needs. */
export interface WitnessClientParts {
  readonly dialer: Dialer;
  readonly resolver: Resolver;
  /** For the whole conversation. */
  readonly timeoutMs: () => number;
}

/** What a witness is asked to cosign, and to whom it is known. */
export interface WitnessQuestion {
  /** Submission prefix, as the operator gave it: it may lead to any address, loopback included. */
  readonly url: string;
  readonly key: VerifierKey;
  /** The signed note, and the size that it speaks of. */
  readonly note: string;
  readonly size: number;
  /**
   * The `add-checkpoint` body that begins at an older size. Throws `ledger_corrupt` where the ledger has
   * none.
   */
  readonly growthFrom: (older: number) => string;
}

/** A cosignature that was verified. */
export interface Cosigned {
  /** The signature line, its newline included. */
  readonly line: string;
  readonly timeS: number;
}

const MAX_ANSWER_BYTES = 65_536;
/** The size that a witness names may move while we ask: others submit as well. */
const MAX_ATTEMPTS = 4;

/**
 * Has a witness cosign a checkpoint (C2SP tlog-witness, `add-checkpoint`). A witness that remembers more
 * entries, or others, is the one answer that this exists for: `ledger_corrupt`.
 *
 * @throws SublError `ledger_corrupt`, `invalid_request` (the url), `resolve_failed`, `address_refused`,
 * `timed_out`, `response_too_large`, `adapter_failed` (no witness answers there, or not this one).
 */
export async function askWitness(
  parts: WitnessClientParts,
  question: WitnessQuestion,
  signal: AbortSignal,
): Promise<Cosigned> {
  const end = performance.now() + parts.timeoutMs();
  const { destination, target } = parseEndpoint(`${question.url.replace(/\/$/, '')}/add-checkpoint`);
  const left = (): number => Math.max(1, Math.ceil(end - performance.now()));
  const { resolver } = parts;
  const checked = await resolveDestination(destination, {
    resolver,
    asker: undefined,
    allowPrivate: true,
    signal,
    timeoutMs: left(),
  });
  let older = 0;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const body = Buffer.from(question.growthFrom(older));
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    const limits = { timeoutMs: left(), maxResponseBytes: MAX_ANSWER_BYTES };
    const request = { method: 'POST', target, headers, body } as const;
    const answer = await exchange(parts.dialer, checked, request, limits, signal);
    if (answer.status === 200) return readCosignature(question, textOf(answer));
    const known = answer.status === 409 ? readKnownSize(answer) : undefined;
    if (known === undefined) throw refused(question, answer);
    if (known > question.size) {
      throw contradicted(question, `it has cosigned ${known} entries, and the ledger has ${question.size}`);
    }
    if (known === older) throw contradicted(question, `it has cosigned another root over ${known} entries`);
    older = known;
  }
  throw new SublError('adapter_failed', `the witness \`${question.key.name}\` keeps naming other sizes`);
}

/** Unknown keys are passed over; the witness's own signature must be there and verify. */
function readCosignature({ note, key }: WitnessQuestion, lines: string): Cosigned {
  const text = note.slice(0, note.lastIndexOf('\n\n') + 1);
  const read = readNote(`${text}\n${lines}`);
  const verified = read === undefined || read.text !== text ? 'wrong' : verifyNote(read, key);
  if (typeof verified === 'string' || verified.timeS === null) {
    throw new SublError('adapter_failed', `the answer is not a cosignature of the witness \`${key.name}\``, {
      help: 'check the url and the verifier key of the witness',
    });
  }
  return { line: verified.line, timeS: verified.timeS };
}

function readKnownSize(answer: HttpResponse): number | undefined {
  const [, size] = /^(0|[1-9][0-9]{0,15})\n$/.exec(textOf(answer)) ?? [];
  const known = Number(size ?? Number.NaN);
  return Number.isSafeInteger(known) ? known : undefined;
}

function refused(question: WitnessQuestion, answer: HttpResponse): SublError {
  const { name } = question.key;
  switch (answer.status) {
    case 422:
      return contradicted(question, 'the ledger does not continue what it has cosigned');
    case 403:
    case 404:
      return new SublError('adapter_failed', `the witness \`${name}\` does not know this log`, {
        help: '`sub audit checkpoint --json` shows the verifier key that the witness must be given',
      });
    default:
      return new SublError('adapter_failed', `the witness \`${name}\` answered with status ${answer.status}`);
  }
}

function contradicted({ key }: WitnessQuestion, why: string): SublError {
  const help = 'keep the ledger and its heads.log as they are, and run `sub audit verify`';
  return new SublError('ledger_corrupt', `the witness \`${key.name}\` contradicts the ledger: ${why}`, {
    help,
  });
}

function textOf(answer: HttpResponse): string {
  return Buffer.from(answer.body).toString('utf8');
}
