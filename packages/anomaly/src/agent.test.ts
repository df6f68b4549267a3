import { describe, expect, it } from 'vitest';
import { destinationFor } from '@subluminal/egress';
import { AnomalyDetector } from './detector.js';
import type { AnomalyFlag, AnomalyReactions } from '@subluminal/gateway';
import type { RunSubject } from '@subluminal/gateway';
import { memoryDb } from '../testing/memory-db.js';

const REACTIONS: AnomalyReactions = {
  burst: 'approve',
  new_domain: 'flag',
  large_payload: 'approve',
  new_for_agent: 'flag',
  send_after_untrusted_read: 'flag',
};
const START = 1_900_000_000_000;
const MB = 1024 * 1024;
const KB = 1024;

/** A home: its detector, and runs of agents in it. */
class Home {
  readonly db = memoryDb();
  now = START;
  detector: AnomalyDetector;
  readonly #reactions: AnomalyReactions;
  #runs = 0;
  #seq = 0;

  constructor(reactions: Partial<AnomalyReactions> = {}) {
    this.#reactions = { ...REACTIONS, ...reactions };
    this.detector = this.#start();
  }

  /** Another process goes on. */
  restart(): void {
    this.detector.keep();
    this.detector = this.#start();
  }

  run(agent = 'claude', attested = true): RunSubject {
    this.#runs += 1;
    return { id: `run-${this.#runs}`, attested, identity: { agent_id: agent } };
  }

  open(run: RunSubject, host: string, listed = true): { seq: number; flags: AnomalyFlag[] } {
    this.now += 1000;
    this.#seq += 1;
    const seq = this.#seq;
    const destination = destinationFor('tcp', host, 443);
    const flags = [...this.detector.inspectConnection(run, destination)];
    this.detector.confirm({ run, destination, flags, connection: { seq, ref: `${seq}.leaf`, listed } });
    return { seq, flags };
  }

  connect(run: RunSubject, host: string, up = 1000, down = 5000, listed = true): AnomalyFlag[] {
    const { seq, flags } = this.open(run, host, listed);
    this.now += 1000;
    return [...flags, ...this.detector.connectionEnded(run, seq, up, down)];
  }

  /** So many runs that each sent so much to each of these hosts. */
  past(runs: number, hosts: readonly string[], up = 1000, agent = 'claude'): void {
    for (let count = 0; count < runs; count += 1) {
      const run = this.run(agent);
      for (const host of hosts) this.connect(run, host, up);
      this.detector.ended(run);
    }
  }

  #start(): AnomalyDetector {
    return new AnomalyDetector({
      db: this.db,
      reactions: () => this.#reactions,
      clock: () => this.now,
    });
  }
}

const kinds = (flags: readonly AnomalyFlag[]): string[] => flags.map(({ kind }) => kind);
const summaries = (flags: readonly AnomalyFlag[]): string[] => flags.map(({ summary }) => summary);

describe('a host that is new for an agent', () => {
  it('is flagged where others have used it, once, and not where nobody has', () => {
    const home = new Home();
    home.past(3, ['github.com']);
    home.past(3, ['intranet.example'], 1000, 'codex');
    const run = home.run();
    expect(home.connect(run, 'intranet.example')).toEqual([
      {
        kind: 'new_for_agent',
        reaction: 'flag',
        summary: 'first connection of `claude` to `intranet.example` in 3 runs; others here have used it',
        facts: { agent: 'claude', host: 'intranet.example', runs: 3 },
      },
    ]);
    expect(home.connect(run, 'intranet.example')).toEqual([]);
    expect(kinds(home.connect(run, 'nobody.example'))).toEqual(['new_domain']);
    expect(kinds(home.connect(home.run(), 'intranet.example'))).toEqual([]);
  });

  it('says of an agent that has no past, once a run, that nothing can be compared, and nothing where nobody has one', () => {
    const home = new Home();
    home.past(2, ['github.com']);
    expect(home.connect(home.run('fresh'), 'github.com')).toEqual([]);
    home.past(1, ['github.com']);
    const run = home.run('claude-2');
    const [flag] = home.connect(run, 'github.com');
    expect(flag?.summary).toBe(
      '`claude-2` has no run behind it: what it does cannot be compared with its past',
    );
    expect(home.connect(run, 'github.com')).toEqual([]);
  });

  it('keeps apart what the operator opened and what opened itself under the same name', () => {
    const home = new Home();
    home.past(4, ['github.com']);
    expect(kinds(home.connect(home.run('claude', false), 'github.com'))).toEqual(['new_for_agent']);
    expect(home.connect(home.run('claude'), 'github.com')).toEqual([]);
  });

  it('waits for an approval where that is set, each time that it is asked for before it was answered', () => {
    const home = new Home({ new_for_agent: 'approve' });
    home.past(3, ['github.com']);
    home.past(3, ['api.example'], 1000, 'codex');
    const run = home.run();
    const destination = destinationFor('https', 'api.example', 443);
    const input = { client: run.id, run, action: 'service.api_call', destination, payloadBytes: 10 };
    for (let count = 0; count < 3; count += 1)
      expect(home.detector.inspect(input)).toMatchObject([{ kind: 'new_for_agent', reaction: 'approve' }]);
    expect(home.open(run, 'api.example').flags).toMatchObject([{ reaction: 'flag' }]);
    expect(home.detector.inspect(input)).toEqual([]);
  });
});

describe('something that is sent after an untrusted read', () => {
  const mail = { what: 'email.fetch', place: undefined, ref: '7.mail', untrusted: true, private: true };
  const web = { what: 'tool `web.fetch`', place: undefined, ref: '8.web', untrusted: true, private: false };
  const to = (address: string) => ({
    what: 'email.send',
    targets: [{ place: `mail:${address}`, shown: address.split('@')[1] ?? '', isHost: false }],
  });
  const smtp = destinationFor('smtps', 'smtp.example', 465);

  function send(home: Home, run: RunSubject, address: string): AnomalyFlag[] {
    home.now += 4000;
    const sends = to(address);
    const input = { client: run.id, run, action: 'email.send', destination: smtp, payloadBytes: 100, sends };
    const flags = home.detector.inspect(input);
    home.detector.confirm({ run, destination: smtp, flags, payloadBytes: 100, sends });
    return flags.filter(({ kind }) => kind === 'send_after_untrusted_read');
  }

  it('is flagged where it goes to somebody new, says what was read, and where; not to whom was written to before', () => {
    const home = new Home();
    const before = home.run();
    send(home, before, 'boss@work.example');
    home.detector.ended(before);
    home.past(3, ['github.com']);
    const run = home.run();
    home.detector.read(run, mail);
    expect(send(home, run, 'boss@work.example')).toEqual([]);
    expect(send(home, run, 'x@evil.example')).toEqual([
      {
        kind: 'send_after_untrusted_read',
        reaction: 'flag',
        summary:
          'email.send to an address at `evil.example`, new to `claude`, 8 s after reading from email.fetch (7.mail)',
        facts: {
          agent: 'claude',
          sent: 'email.send',
          to: ['evil.example'],
          read: { what: 'email.fetch', at: new Date(home.now - 8000).toISOString(), audit_ref: '7.mail' },
          private: { what: 'email.fetch', at: new Date(home.now - 8000).toISOString(), audit_ref: '7.mail' },
        },
      },
    ]);
    expect(send(home, run, 'x@evil.example')).toEqual([]);
  });

  it('is asked for each time where an approval is needed', () => {
    const home = new Home({ send_after_untrusted_read: 'approve' });
    const run = home.run();
    home.detector.read(run, mail);
    for (let count = 0; count < 3; count += 1)
      expect(send(home, run, 'x@evil.example')).toMatchObject([{ reaction: 'approve' }]);
  });

  it('is a connection that sent, to a host that was used for the first time since; a few bytes ahead change nothing', () => {
    const home = new Home();
    home.past(3, ['github.com', 'docs.example']);
    const run = home.run();
    home.detector.read(run, web);
    expect(kinds(home.connect(run, 'paste.example', 200, 300))).toEqual(['new_domain']);
    expect(summaries(home.connect(run, 'paste.example', 200 * KB, 300))).toEqual([
      '200.0 KB to `paste.example`, new to `claude`, 3 s after reading from tool `web.fetch` (8.web)',
    ]);
    expect(home.connect(run, 'paste.example', 200 * KB, 300)).toEqual([]);
    expect(home.connect(run, 'github.com', 300 * KB, 2000)).toEqual([]);
  });

  it('is as much in parts, unless more comes back', () => {
    const home = new Home();
    home.past(3, ['github.com']);
    const run = home.run();
    home.detector.read(run, web);
    const parts = [1, 2, 3, 4].flatMap((part) => {
      if (part === 3) home.restart();
      return summaries(home.connect(run, 'paste.example', 20 * KB, 300));
    });
    expect(parts.slice(1)).toEqual([
      '80.0 KB to `paste.example`, new to `claude`, 7 s after reading from tool `web.fetch` (8.web)',
    ]);
    for (let part = 0; part < 10; part += 1)
      expect(kinds(home.connect(run, 'docs.example', 20 * KB, 30_000))).toEqual(
        part === 0 ? ['new_domain'] : [],
      );
  });

  it('is a smaller one in a run that read something private as well', () => {
    const home = new Home();
    home.past(3, ['github.com']);
    const send5k = (run: RunSubject): string[] => kinds(home.connect(run, 'paste.example', 5000, 9000));
    const run = home.run();
    home.detector.read(run, web);
    expect(send5k(run)).toEqual(['new_domain']);
    const other = home.run('codex');
    home.detector.read(other, web);
    home.detector.read(other, { ...mail, what: 'finance.fetch_transactions', untrusted: false });
    home.connect(other, 'first.example');
    const [, flag] = home.connect(other, 'other.example', 5000, 9000);
    expect(flag?.summary).toMatch(/, and private data from finance.fetch_transactions \(7.mail\)$/);
  });

  it('is not an answer to the only one who said something', () => {
    const home = new Home();
    home.past(3, ['github.com']);
    const run = home.run();
    expect(kinds(home.connect(run, 'paste.example', 200 * KB, 300, false))).toEqual(['new_domain']);
    expect(kinds(home.connect(run, 'other.example', 200 * KB, 300, false))).toEqual([
      'new_domain',
      'send_after_untrusted_read',
    ]);
  });

  it('remembers what was read across a restart, and of another run nothing', () => {
    const home = new Home();
    const [run, clean] = [home.run(), home.run()];
    home.detector.read(run, mail);
    home.restart();
    expect(send(home, clean, 'x@evil.example')).toEqual([]);
    expect(send(home, run, 'y@evil.example')).toHaveLength(1);
  });

  it('is not hidden by a restart behind which the clock stands earlier', () => {
    const home = new Home();
    const run = home.run();
    home.detector.read(run, mail);
    home.now -= 86_400_000;
    home.restart();
    expect(send(home, run, 'x@evil.example')).toHaveLength(1);
  });

  it('is not hidden by a clock that goes back, or by reading much', () => {
    const home = new Home();
    const run = home.run();
    home.detector.read(run, mail);
    for (let count = 0; count < 100; count += 1) home.detector.read(run, { ...web, what: `tool ${count}` });
    home.now -= 86_400_000;
    const [flag] = send(home, run, 'x@evil.example');
    expect(flag?.summary).toContain('reading from tool 99');
    expect(flag?.summary).toContain('private data from email.fetch');
  });
});

describe('what is said of a run', () => {
  it('ends with 32 of a kind, which hide nothing of another kind and are counted on', () => {
    const home = new Home();
    home.past(5, ['github.com'], 1000);
    home.past(1, ['intranet.example'], 1000, 'codex');
    const run = home.run();
    let last: AnomalyFlag | undefined;
    let given = 0;
    for (let count = 0; count < 200; count += 1) {
      const flags = home.connect(run, `h${count}.example`);
      given += flags.length;
      last = flags.at(-1) ?? last;
    }
    expect(given).toBe(32);
    expect(last?.summary).toBe('first connection to `h31.example`; more of this kind are only counted');
    expect(kinds(home.connect(run, 'intranet.example'))).toEqual(['new_for_agent']);
    expect(home.detector.counts(run)).toEqual({ new_domain: 200, new_for_agent: 1 });
  });

  it('is nothing where everything is off', () => {
    const off = Object.fromEntries(Object.keys(REACTIONS).map((kind) => [kind, 'off']));
    const home = new Home(off);
    home.past(6, ['github.com']);
    const run = home.run();
    expect(home.connect(run, `${'k3x5vz7y2m4n6p8r'.repeat(3)}.example.com`, 50 * MB, 1, false)).toEqual([]);
    expect(home.connect(run, 'other.example', 50 * MB, 1, false)).toEqual([]);
    expect(home.detector.counts(run)).toBeUndefined();
  });
});
