import { isSublError, SublError } from '@subluminal/core-types';
import { readResponse, type ImapResponse, type ImapValue } from './imap-response.js';
import { mailboxName } from './mailbox-name.js';
import type { MailSession, SignIn } from './session.js';

/** Kept answers of one command. */
const MAX_UNTAGGED = 20_000;

interface Answered {
  readonly untagged: readonly ImapResponse[];
  readonly status: 'OK' | 'NO' | 'BAD';
  readonly text: string;
}

/** A message as the server tells of it. */
export interface ImapMessage {
  readonly uid: number;
  readonly flags: readonly string[];
  /** Epoch milliseconds. */
  readonly receivedMs: number | undefined;
  readonly size: number;
  /** The first bytes of it. */
  readonly source: Buffer;
}

/**
 * One signed-in conversation with a server of IMAP4rev1. Its methods throw `adapter_failed`, unless they say
 * otherwise.
 */
export class ImapClient {
  readonly #session: MailSession;
  #tags = 0;
  #capabilities: ReadonlySet<string> = new Set();

  private constructor(session: MailSession) {
    this.#session = session;
  }

  /**
   * Greets, secures and signs in. Nothing of the account is said before the connection is secure.
   *
   * @throws SublError `credential_refused`, `adapter_failed`, `response_too_large`.
   */
  static async signIn(session: MailSession, signIn: SignIn): Promise<ImapClient> {
    const client = new ImapClient(session);
    const greeting = await readResponse(session.wire);
    // A connection that is signed in already (`PREAUTH`) cannot be secured any more: an attacker could keep
    // it in plain text that way.
    if (greeting.tag !== '*' || !/^OK\b/i.test(greeting.text))
      throw session.wire.strange('did not greet as a server that one can sign in to');
    await client.#learn();
    if (signIn.security === 'starttls') {
      const refused = 'does not offer a secure connection (STARTTLS), so nothing was said to it';
      if (!client.#capabilities.has('STARTTLS')) throw session.wire.strange(refused);
      if ((await client.#ask('STARTTLS')).status !== 'OK') throw session.wire.strange(refused);
      await session.upgrade();
      await client.#learn();
    }
    await client.#authenticate(signIn);
    await client.#learn();
    return client;
  }

  /** Opens a folder without changing anything in it. Returns the number of its messages. */
  async examine(folder: string): Promise<number> {
    const { status, untagged } = await this.#ask(`EXAMINE ${quoted(mailboxName(folder))}`);
    if (status !== 'OK') throw this.#strange(`has no folder \`${folder}\``);
    const exists = untagged.find(({ values }) => isWord(values[1], 'EXISTS'));
    return numberOf(exists?.values[0]);
  }

  /** The uids of the messages that came on that day (UTC) or later. */
  async since(day: Date): Promise<readonly number[]> {
    // The server's day may be another one: it is asked from a day earlier, and the exact time is checked
    // later.
    const from = new Date(day.getTime() - 86_400_000);
    const date = `${from.getUTCDate()}-${MONTHS[from.getUTCMonth()] ?? 'Jan'}-${from.getUTCFullYear()}`;
    const { untagged } = await this.#must(`UID SEARCH SINCE ${date}`);
    return untagged
      .filter(({ values }) => isWord(values[0], 'SEARCH'))
      .flatMap(({ values }) => values.slice(1).map(numberOf));
  }

  /** Messages by their place in the folder (from 1) or by uid, with no more than `bytes` of each. */
  async fetch(by: 'place' | 'uid', set: string, bytes: number): Promise<readonly ImapMessage[]> {
    const prefix = by === 'uid' ? 'UID ' : '';
    const items = `(UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[]<0.${bytes}>)`;
    const { untagged } = await this.#must(`${prefix}FETCH ${set} ${items}`);
    return untagged
      .filter(({ values }) => isWord(values[1], 'FETCH'))
      .flatMap(({ values }) => messageOf(values[2]));
  }

  /** The folder of drafts: the one that the server says is, else one of that name. */
  async draftsFolder(): Promise<string> {
    const { untagged } = await this.#must('LIST "" "*"');
    const folders = untagged.filter(({ values }) => isWord(values[0], 'LIST'));
    const drafts =
      folders.find(
        ({ values }) => Array.isArray(values[1]) && values[1].some((flag) => isWord(flag, '\\DRAFTS')),
      ) ?? folders.find(({ values }) => /^drafts$/i.test(textOf(values[3])));
    const name = textOf(drafts?.values[3]);
    // The name becomes a part of a command, which nothing in it may end.
    if (!/^[^\0\r\n]+$/.test(name)) throw this.#strange('has no folder for drafts');
    return name;
  }

  /**
   * Puts a message into a folder (`mailbox` as the server wrote it), as a draft.
   *
   * @throws SublError `in_doubt` where the answer is lost.
   */
  async append(mailbox: string, message: Buffer): Promise<void> {
    const { wire } = this.#session;
    const tag = this.#nextTag();
    await wire.write(`${tag} APPEND ${quoted(mailbox)} (\\Draft \\Seen) {${message.length}}\r\n`);
    const go = await this.#until(tag);
    if (go !== undefined) throw this.#strange('did not take the draft');
    await wire.write(message);
    let answered: Answered | undefined;
    try {
      await wire.write('\r\n');
      answered = await this.#answer(tag);
    } catch (error) {
      const why = this.#session.deadline.reason() ?? (isSublError(error) ? error : undefined);
      throw new SublError(
        'in_doubt',
        `the draft was handed to \`${this.#session.destination.origin}\`, which did not say that it took it${why === undefined ? '' : ` (${why.code})`}`,
        { cause: error },
      );
    }
    if (answered.status !== 'OK') throw this.#strange('did not take the draft');
  }

  /** Takes leave without waiting for an answer. */
  leave(): void {
    this.#session.wire.socket.end(`${this.#nextTag()} LOGOUT\r\n`);
  }

  async #learn(): Promise<void> {
    const { untagged } = await this.#must('CAPABILITY');
    this.#capabilities = new Set(
      untagged
        .filter(({ values }) => isWord(values[0], 'CAPABILITY'))
        .flatMap(({ values }) => values.map((value) => textOf(value).toUpperCase())),
    );
  }

  async #authenticate({ user, password }: SignIn): Promise<void> {
    const { wire, destination } = this.#session;
    const can = this.#capabilities;
    let answered: Answered;
    if (can.has('AUTH=PLAIN')) {
      const tag = this.#nextTag();
      await wire.write(`${tag} AUTHENTICATE PLAIN\r\n`);
      const early = await this.#until(tag);
      if (early === undefined) {
        await wire.write(`${Buffer.from(`\0${user}\0${password}`, 'utf8').toString('base64')}\r\n`);
        answered = await this.#answer(tag);
      } else answered = early;
    } else if (!can.has('LOGINDISABLED') && /^[ -~]*$/.test(user + password))
      answered = await this.#ask(`LOGIN ${quoted(user)} ${quoted(password)}`);
    else throw this.#strange('offers no way to sign in that is known here (PLAIN, LOGIN)');
    if (answered.status === 'OK') return;
    if (answered.status === 'NO' && !/\[UNAVAILABLE\]/i.test(answered.text))
      throw new SublError(
        'credential_refused',
        `\`${destination.origin}\` refused the user name or the password`,
      );
    throw this.#strange('did not let sign in');
  }

  async #must(command: string): Promise<Answered> {
    const answered = await this.#ask(command);
    if (answered.status === 'OK') return answered;
    throw this.#strange(`refused \`${command.split(' ')[0]?.toLowerCase() ?? ''}\` (${answered.status})`);
  }

  async #ask(command: string): Promise<Answered> {
    const tag = this.#nextTag();
    await this.#session.wire.write(`${tag} ${command}\r\n`);
    return this.#answer(tag);
  }

  async #answer(tag: string): Promise<Answered> {
    const answered = await this.#until(tag);
    if (answered === undefined) throw this.#strange('does not speak IMAP');
    return answered;
  }

  /** The answers up to the end of a command; undefined where the server waits for more of the command. */
  async #until(tag: string): Promise<Answered | undefined> {
    const untagged: ImapResponse[] = [];
    for (;;) {
      const response = await readResponse(this.#session.wire);
      if (response.tag === '+') return undefined;
      if (response.tag === tag) {
        const status = /^(OK|NO|BAD)\b/i.exec(response.text)?.[1]?.toUpperCase();
        if (status !== 'OK' && status !== 'NO' && status !== 'BAD')
          throw this.#strange('does not speak IMAP');
        return { untagged, status, text: response.text };
      }
      if (response.tag !== '*' || untagged.length >= MAX_UNTAGGED) throw this.#strange('does not speak IMAP');
      untagged.push(response);
    }
  }

  #nextTag(): string {
    this.#tags += 1;
    return `s${this.#tags}`;
  }

  #strange(what: string): SublError {
    return this.#session.wire.strange(what);
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

function messageOf(value: ImapValue | undefined): ImapMessage[] {
  if (!Array.isArray(value)) return [];
  const list: readonly ImapValue[] = value;
  const items = new Map<string, ImapValue>();
  for (let at = 0; at + 1 < list.length; at += 2)
    items.set(textOf(list[at]).toUpperCase(), list[at + 1] ?? null);
  const source = [...items].find(([key]) => key.startsWith('BODY['))?.[1];
  const uid = numberOf(items.get('UID'));
  if (uid === 0) return [];
  const flags = items.get('FLAGS');
  const received = Date.parse(
    textOf(items.get('INTERNALDATE'))
      .trim()
      .replaceAll(/-(?=[A-Za-z0-9]{3,4}[- ])/g, ' '),
  );
  return [
    {
      uid,
      flags: Array.isArray(flags) ? flags.map((flag: ImapValue) => textOf(flag)).slice(0, 64) : [],
      receivedMs: Number.isNaN(received) ? undefined : received,
      size: numberOf(items.get('RFC822.SIZE')),
      source: Buffer.isBuffer(source) ? source : Buffer.from(textOf(source), 'latin1'),
    },
  ];
}

function textOf(value: ImapValue | undefined): string {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  return typeof value === 'string' ? value : '';
}

function numberOf(value: ImapValue | undefined): number {
  const text = textOf(value);
  return /^[0-9]{1,10}$/.test(text) ? Number(text) : 0;
}

function isWord(value: ImapValue | undefined, word: string): boolean {
  return typeof value === 'string' && value.toUpperCase() === word;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, (one) => `\\${one}`)}"`;
}
