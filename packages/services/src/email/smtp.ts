import { isSublError, SublError } from '@subluminal/core-types';
import type { MailSession, SignIn } from './session.js';
import { mailData } from './smtp-data.js';
import { SmtpTalk, type Reply } from './smtp-talk.js';

/** The name of this gateway in EHLO: it has none that a server could look up. */
const CLIENT_NAME = '[127.0.0.1]';
/** From this code on a refusal means the user or the password, not the command. */
const FIRST_REFUSAL = 530;

/** A message and its recipients. */
export interface Envelope {
  readonly from: string;
  readonly to: readonly string[];
  readonly message: Buffer;
}

/**
 * One signed-in conversation with an SMTP server. Its methods throw `adapter_failed` and
 * `response_too_large`.
 */
export class SmtpClient {
  readonly #session: MailSession;
  readonly #talk: SmtpTalk;
  /** The extensions that the server offers, with their parameters. */
  #offers: ReadonlyMap<string, string> = new Map();

  private constructor(session: MailSession) {
    this.#session = session;
    this.#talk = new SmtpTalk(session.wire);
  }

  /**
   * Greets, secures and signs in. Nothing of the account is said before the connection is secure.
   *
   * @throws SublError `credential_refused` besides.
   */
  static async signIn(session: MailSession, signIn: SignIn): Promise<SmtpClient> {
    const client = new SmtpClient(session);
    client.#expect(await client.#talk.reply(), 220, 'did not greet');
    await client.#learn();
    if (signIn.security === 'starttls') {
      if (!client.#offers.has('STARTTLS') || (await client.#talk.ask('STARTTLS')).code !== 220)
        throw session.wire.strange(
          'does not offer a secure connection (STARTTLS), so nothing was said to it',
        );
      await session.upgrade();
      // Offers that came in plain text may be anybody's.
      await client.#learn();
    }
    await client.#authenticate(signIn);
    return client;
  }

  /**
   * Hands a message over. A recipient who is refused refuses the whole: nothing is sent then. From the moment
   * at which the end of the message may go out, an answer that does not come is `in_doubt`: the server may
   * have taken it.
   *
   * @throws SublError `in_doubt` besides.
   */
  async send({ from, to, message }: Envelope): Promise<void> {
    const { wire } = this.#session;
    const limit = Number(this.#offers.get('SIZE') ?? 0);
    if (limit > 0 && message.length > limit) throw wire.strange('takes no message of that size');
    const size = this.#offers.has('SIZE') ? ` SIZE=${message.length}` : '';
    this.#expect(await this.#talk.ask(`MAIL FROM:${path(from)}${size}`), 250, 'refused the sender');
    for (const one of to) {
      const { code } = await this.#talk.ask(`RCPT TO:${path(one)}`);
      if (code !== 250 && code !== 251)
        throw wire.strange(`refused the recipient \`${one}\` (${code}), so nothing was sent`);
    }
    this.#expect(await this.#talk.ask('DATA'), 354, 'did not take the message');
    await wire.write(mailData(message));
    // A reply that is here already is none to this message: its end was not sent.
    this.#talk.expectSilence();
    let reply: Reply;
    try {
      await wire.write('.\r\n');
      reply = await this.#talk.reply();
    } catch (error) {
      throw this.#inDoubt(error);
    }
    if (reply.code >= 400) throw wire.strange(`refused the message (${reply.code})`);
    if (reply.code !== 250) throw this.#inDoubt(undefined);
  }

  /** Takes leave without waiting for an answer. */
  leave(): void {
    this.#session.wire.socket.end('QUIT\r\n');
  }

  async #learn(): Promise<void> {
    const reply = await this.#talk.ask(`EHLO ${CLIENT_NAME}`);
    this.#expect(reply, 250, 'did not answer EHLO');
    this.#offers = new Map(
      reply.lines.slice(1).map((line): [string, string] => {
        const [name = '', ...parameters] = line.toUpperCase().split(' ');
        return [name, parameters.join(' ')];
      }),
    );
  }

  async #authenticate({ user, password }: SignIn): Promise<void> {
    const { wire, destination } = this.#session;
    const ways = (this.#offers.get('AUTH') ?? '').split(' ');
    let reply: Reply;
    if (ways.includes('PLAIN'))
      reply = await this.#talk.ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`);
    else if (ways.includes('LOGIN')) {
      reply = await this.#talk.ask('AUTH LOGIN');
      for (const answer of [user, password])
        if (reply.code === 334) reply = await this.#talk.ask(base64(answer));
    } else throw wire.strange('offers no way to sign in that is known here (PLAIN, LOGIN)');
    if (reply.code >= FIRST_REFUSAL)
      throw new SublError(
        'credential_refused',
        `\`${destination.origin}\` refused the user name or the password (${reply.code})`,
      );
    this.#expect(reply, 235, 'did not let sign in');
  }

  #expect({ code }: Reply, wanted: number, what: string): void {
    if (code === wanted) return;
    throw this.#session.wire.strange(code >= 400 ? `${what} (${code})` : 'does not speak SMTP');
  }

  #inDoubt(cause: unknown): SublError {
    const { destination, deadline } = this.#session;
    const why = deadline.reason() ?? (isSublError(cause) ? cause : undefined);
    return new SublError(
      'in_doubt',
      `the message was handed to \`${destination.origin}\`, which did not say that it took it${why === undefined ? '' : ` (${why.code})`}`,
      { cause },
    );
  }
}

/** An address in an envelope: nothing in it can end the command. */
function path(address: string): string {
  if (/^[!-;=?-~]+$/.test(address)) return `<${address}>`;
  throw new SublError('invalid_request', `\`${address}\` cannot stand in the envelope of a message`);
}

function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
