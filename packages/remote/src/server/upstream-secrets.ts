import { type Readable, pipeline, Transform } from 'node:stream';
import { exactMask, type ExactMask, type FindValues, headerKey } from '@subluminal/core-types';
import { type HeldSecret, ServerSecrets, type ValueMask } from '@subluminal/mcp';
import {
  type CheckedDestination,
  type Endpoint,
  type StreamAnswer,
  type StreamRequest,
} from '@subluminal/egress';
import type { HeaderSecrets } from '@subluminal/gateway';

/** Which server of which run it is about. */
export interface SecretsOf {
  readonly runId: string;
  readonly serverName: string;
  readonly upstream: Endpoint;
}

type BodyMask = Pick<ValueMask, 'push' | 'end'>;

/** The secrets of one remote server of one run: put into its requests, and taken out of what it answers. */
export class UpstreamSecrets {
  readonly #secrets: HeaderSecrets;
  readonly #of: SecretsOf;
  /** All that were sent to it: it may repeat one that was replaced since. */
  readonly #sent = new Map<string, HeldSecret>();
  readonly #held = new ServerSecrets();
  /** Takes them out of a text that the client is told. */
  #mask: ExactMask | undefined;
  /** How often values were added: an answer that goes on is masked for those as well. */
  #additions = 0;

  constructor(secrets: HeaderSecrets, of: SecretsOf) {
    this.#secrets = secrets;
    this.#of = of;
  }

  /** Tells one state of the bindings from another. */
  get bindings(): string {
    return this.#secrets.version;
  }

  get all(): readonly HeldSecret[] {
    return this.#held.all;
  }

  /** A text as it may be recorded. */
  readonly hide = (text: string): string => this.#held.hide(text);

  readonly values: FindValues = (text, cut) => this.#held.values(text, cut);

  keepOutOfRecord(): void {
    const { runId, serverName, upstream } = this.#of;
    this.#secrets.keepOutOfRecord(runId, serverName, upstream);
  }

  /**
   * The headers of a request with the secrets that are bound to its server. A header of the client under such
   * a name goes nowhere. A request to another URL than the bound one holds no secret. Throws
   * `secret_refused`, `secret_missing` and `config_invalid`.
   */
  putInto(
    headers: StreamRequest['headers'],
    destination: CheckedDestination,
    isBoundUrl: boolean,
  ): StreamRequest['headers'] {
    const { runId, serverName, upstream } = this.#of;
    const bound = this.#secrets.boundTo(serverName, upstream);
    if (bound.length === 0) return headers;
    const names = new Set(bound.map(({ inject_as: name }) => headerKey(name)));
    const others = headers.filter(([name]) => !names.has(headerKey(name)));
    if (!isBoundUrl) return others;
    const live = this.#secrets.sentTo(destination, runId, bound);
    const news = live.filter((one) => this.#isNews(one));
    for (const { name, value, redact } of news) this.#sent.set(`${name} ${value}`, { name, value, redact });
    if (news.length > 0) this.#takeSent();
    return [...others, ...live.map(({ name, text }) => [name, text] as const)];
  }

  /** A value that was to be taken out once is taken out as long as it may come back. */
  #isNews({ name, value, redact }: HeldSecret): boolean {
    const known = this.#sent.get(`${name} ${value}`);
    return known === undefined || (redact && !known.redact);
  }

  #takeSent(): void {
    const all = [...this.#sent.values()];
    this.#held.take(all);
    this.#additions += 1;
    this.#mask = exactMask(
      all.filter(({ redact }) => redact),
      { cut: false },
    );
  }

  /** An answer without them, also without those that are sent while its body goes on. */
  hidden(answer: StreamAnswer): StreamAnswer {
    const mask = this.#mask;
    const headers =
      mask === undefined
        ? answer.headers
        : new Map([...answer.headers].map(([name, values]) => [name, values.map((text) => mask(text))]));
    return { ...answer, headers, body: masked(answer.body, this.#bodyMask()) };
  }

  #bodyMask(): BodyMask {
    let of = this.#additions;
    let masks = this.#held.messageMasks();
    const put = (chunk: Buffer): Buffer => masks.reduce((rest, mask) => mask.push(rest), chunk);
    const end = (): Buffer =>
      masks.reduce((rest, mask) => Buffer.concat([mask.push(rest), mask.end()]), Buffer.alloc(0));
    return {
      push: (chunk) => {
        if (of === this.#additions) return put(chunk);
        // A value that was added may begin in what the masks of before still hold back.
        const rest = end();
        of = this.#additions;
        masks = this.#held.messageMasks();
        return put(Buffer.concat([rest, chunk]));
      },
      end,
    };
  }
}

/** A body without what a mask takes out. It breaks where that breaks, and ends it where it is given up. */
function masked(body: Readable, mask: BodyMask): Readable {
  const through = new Transform({
    transform: (chunk: Buffer, _encoding, done) => done(null, mask.push(chunk)),
    flush: (done) => done(null, mask.end()),
  });
  // A reader hears of the error otherwise, and there may be no reader.
  through.on('error', () => undefined);
  return pipeline(body, through, () => undefined);
}
