import { Readable } from 'node:stream';
import { isSublError, SublError } from '@subluminal/core-types';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { SMTPConnectionEnvelope } from 'nodemailer/lib/smtp-connection';
import type { MailSession, SignIn } from './session.js';
import { guardReplies } from './smtp-guard.js';
import { CLIENT_NAME, startTls } from './smtp-start.js';

/** Bytes of one reply. */
const MAX_REPLY = 65_536;
/** Bytes of a message that are handed on at once. */
const PIECE = 16_384;
/** The limits of time are the session's: nodemailer's own are put where they are never reached. */
const NEVER = 2_147_483_647;
/** From here on a server's refusal means the user or the password, not the command. */
const FIRST_REFUSAL = 530;

/** A message and whom it goes to. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  /** Lines end in CRLF. */
  readonly message: Buffer;
}

/** What nodemailer's errors say besides their message, which may hold what the server sent. */
interface Failure {
  readonly code?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
}

/**
 * One signed-in conversation with an SMTP server: nodemailer's, over a connection that `egress/` has made and
 * secured. It knows no plain text, no logger and no clock of its own.
 */
export class SmtpClient {
  readonly #session: MailSession;
  readonly #connection: SMTPConnection;
  readonly #ended: () => SublError | undefined;
  /** Rejects when the connection is lost, whoever waits for what. */
  readonly #lost: Promise<never>;

  private constructor(session: MailSession, connection: SMTPConnection, ended: () => SublError | undefined) {
    this.#session = session;
    this.#connection = connection;
    this.#ended = ended;
    this.#lost = new Promise((_resolve, reject) => {
      connection.on('error', reject);
      connection.on('end', () => reject(new Error('closed')));
    });
    this.#lost.catch(() => undefined);
  }

  /**
   * Greets, secures and signs in. Nothing of the account is said before the connection is secure.
   *
   * @throws SublError `credential_refused`, `adapter_failed`, `response_too_large`, `timed_out`.
   */
  static async signIn(session: MailSession, { user, password, security }: SignIn): Promise<SmtpClient> {
    const { wire, destination } = session;
    const { default: Connection } = await import('nodemailer/lib/smtp-connection');
    if (security === 'starttls') await startTls(session);
    const ended = guardReplies(wire);
    // No server greets twice; what follows over TLS begins with EHLO, as after a greeting.
    if (security === 'starttls') wire.socket.unshift(Buffer.from('220 secured\r\n'));
    const connection = new Connection({
      connection: wire.socket,
      secure: true,
      secured: true,
      host: destination.host,
      port: destination.port,
      name: CLIENT_NAME,
      logger: false,
      maxResponseSize: MAX_REPLY,
      connectionTimeout: NEVER,
      greetingTimeout: NEVER,
      socketTimeout: NEVER,
    });
    const client = new SmtpClient(session, connection, ended);
    await client.#step((done) => connection.connect(done), 'did not greet');
    if (!connection.allowsAuth) throw wire.strange('offers no way to sign in');
    await client.#step(
      (done) => connection.login({ credentials: { user, pass: password } }, done),
      'did not let sign in',
      (reply) =>
        reply < FIRST_REFUSAL
          ? undefined
          : new SublError(
              'credential_refused',
              `\`${destination.origin}\` refused the user name or the password (${reply})`,
            ),
    );
    return client;
  }

  /**
   * Hands a message over. From the moment at which its end may go out, an answer that does not come is
   * `in_doubt`: whether it was taken is not known. A recipient who is refused refuses the whole: the end then
   * never goes out.
   *
   * @throws SublError `adapter_failed`, `response_too_large`, `in_doubt`.
   */
  async send({ from, to, message }: Envelope): Promise<void> {
    const { wire } = this.#session;
    // nodemailer writes into it who was accepted and who refused, before it reads the first byte of the
    // message.
    const envelope: Partial<SMTPConnectionEnvelope> = { from, to: [...to], size: message.length };
    let isHanded = false;
    const source = Readable.from(
      (async function* () {
        const accepted = envelope.accepted ?? [];
        if (!to.every((one) => accepted.includes(one))) throw new Error('not everyone was accepted');
        for (let at = 0; at < message.length; at += PIECE) yield message.subarray(at, at + PIECE);
        // Only now the end can follow: it is asked for when what stands before it has been taken, but for a
        // few pieces.
        isHanded = true;
      })(),
      { objectMode: false },
    );
    let response: string | undefined;
    try {
      const sending = new Promise<string | undefined>((resolve, reject) => {
        this.#connection.send(envelope, source, (error, info) => {
          if (error === null) resolve(info?.response);
          else reject(error);
        });
      });
      response = await Promise.race([sending, this.#lost]);
    } catch (error) {
      const [refused] = envelope.rejected ?? [];
      const { code, command } = failureOf(error);
      const isRefusal = code === 'EMESSAGE' && replyOf(error) !== undefined;
      if (isHanded && !isRefusal) throw this.#inDoubt(error);
      if (refused !== undefined) {
        const reply = replyOf(envelope.rejectedErrors?.[0]) ?? 550;
        throw wire.strange(`refused the recipient \`${refused}\` (${reply}), so nothing was sent`);
      }
      if (code === 'EMESSAGE' && !isRefusal) throw wire.strange('takes no message of that size');
      const what = command === 'MAIL FROM' ? 'refused the sender' : 'did not take the message';
      throw this.#failed(error, isHanded ? 'refused the message' : what);
    } finally {
      source.destroy();
    }
    if (!isHanded) throw wire.strange('said that it took a message that it did not have');
    if (response?.startsWith('250') !== true) throw this.#inDoubt(undefined);
  }

  /** Takes leave without waiting for an answer. */
  leave(): void {
    this.#connection.quit();
    this.#connection.close();
  }

  async #step(
    run: (done: (error?: Error | null) => void) => void,
    what: string,
    meaning: (reply: number) => SublError | undefined = () => undefined,
  ): Promise<void> {
    try {
      const answered = new Promise<void>((resolve, reject) =>
        run((error) => {
          if (error === undefined || error === null) resolve();
          else reject(error);
        }),
      );
      await Promise.race([answered, this.#lost]);
    } catch (error) {
      const reply = replyOf(error);
      throw (reply === undefined ? undefined : meaning(reply)) ?? this.#failed(error, what);
    }
  }

  #failed(error: unknown, what: string): SublError {
    const { wire } = this.#session;
    const ended = this.#ended();
    if (ended !== undefined) return ended;
    const reply = replyOf(error);
    if (reply !== undefined) return wire.strange(`${what} (${reply})`);
    return wire.strange(
      failureOf(error).code === 'EPROTOCOL' ? 'does not speak SMTP' : 'closed the connection',
    );
  }

  #inDoubt(cause: unknown): SublError {
    const { destination, deadline } = this.#session;
    const why = deadline.reason() ?? this.#ended() ?? (isSublError(cause) ? cause : undefined);
    return new SublError(
      'in_doubt',
      `the message was handed to \`${destination.origin}\`, which did not say that it took it${why === undefined ? '' : ` (${why.code})`}`,
      { cause },
    );
  }
}

function failureOf(error: unknown): Failure {
  return typeof error === 'object' && error !== null ? error : {};
}

/** The code of the reply that an error is about, where that is one of a refusal. */
function replyOf(error: unknown): number | undefined {
  const { responseCode } = failureOf(error);
  return typeof responseCode === 'number' && responseCode >= 400 && responseCode < 600
    ? responseCode
    : undefined;
}
