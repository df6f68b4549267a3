import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dataOf } from '../gateway/harness.js';
import { Authority } from './kit/authority.js';
import { HostileServer, imap, smtp, type Peer, type Script } from './kit/hostile.js';
import { allow, codeOf, mailAccount, mailWorld, PASSWORD, QUIET } from './kit/world.js';

const LIMITS = `${QUIET}[rate_limits]\nglobal = 100000\ndefault = 10000\n[rate_limits.actions]\n"email.send" = 1000\n"email.fetch" = 1000\n"email.draft" = 1000\n`;
const EGRESS = 'timeout_ms = 1500\nmax_response_bytes = 400000\n';
const LETTER = { to: ['bob@else.test'], cc: ['eve@else.test'], subject: 'x', body: 'one\n'.repeat(40) };
/** What a server can get rid of before it is left: what is read, and what two kernels keep. */
const MOST_BYTES = 8_388_608;

let authority: Authority;
let letters: HostileServer;
let folders: HostileServer;
let ports: { readonly smtp: number; readonly imap: number };
beforeAll(async () => {
  authority = new Authority();
  letters = new HostileServer(authority);
  folders = new HostileServer(authority);
  ports = { smtp: await letters.listen(), imap: await folders.listen() };
});
afterAll(() => {
  letters.close();
  folders.close();
  authority.remove();
});

type Case = readonly [name: string, script: Script, ...codes: string[]];

const FAILED = 'adapter_failed';
const TOO_LARGE = 'response_too_large';
const LATE = 'timed_out';
const DOUBT = 'in_doubt';
/** Uses up the time. */
const SLOW = 'slow';

const flood =
  (piece: string) =>
  (peer: Peer): void =>
    peer.flood(piece);
const drip =
  (piece: string) =>
  (peer: Peer): void =>
    peer.drip(piece);
const silent = (): void => undefined;
const cut = (peer: Peer): void => void peer.socket.destroy();

const [user, word] = ['ada', PASSWORD].map((text) => Buffer.from(text).toString('base64')) as [
  string,
  string,
];
/** The answers to the lines of AUTH LOGIN: for ever another question. */
const LOGIN = { [user]: '334 UGFzc3dvcmQ6', [word]: '334 UGFzc3dvcmQ6' };

/** How a server may go on for ever, at every step at which it is asked something. */
const SMTP_CASES: readonly Case[] = [
  ['never greets', smtp({ greeting: silent }), LATE],
  ['drips a greeting', smtp({ greeting: drip('2') }), LATE],
  ['ends no line', smtp({ greeting: flood('2') }), FAILED, TOO_LARGE],
  ['goes on greeting', smtp({ greeting: flood('220-a\r\n') }), FAILED, TOO_LARGE],
  ['greets for ever', smtp({ greeting: flood('220 a\r\n') }), FAILED, TOO_LARGE],
  ['sends empty lines', smtp({ greeting: flood('\n') }), FAILED],
  ['sends zeros', smtp({ greeting: flood('\0') }), FAILED, TOO_LARGE],
  ['speaks another protocol', smtp({ greeting: 'HTTP/1.1 200 OK' }), FAILED],
  ['offers for ever', smtp({ EHLO: flood('250-X-THING\r\n') }), FAILED, TOO_LARGE],
  ['knows too many ways to sign in', smtp({ EHLO: `250 AUTH ${'X '.repeat(150_000)}` }), FAILED],
  ['offers no way to sign in', smtp({ EHLO: '250 mail.test' }), FAILED],
  ['knows another way alone', smtp({ EHLO: '250-a\r\n250 AUTH GSSAPI', AUTH: '504 no' }), FAILED],
  ['wants no EHLO', smtp({ EHLO: '502 no', HELO: '502 no' }), FAILED],
  [
    'asks for two passwords',
    smtp({ EHLO: '250-a\r\n250 AUTH LOGIN', AUTH: '334 VXNlcm5hbWU6', ...LOGIN }),
    FAILED,
  ],
  ['is busy', smtp({ AUTH: `454 ${PASSWORD} is for later` }), FAILED],
  ['repeats what is wrong', smtp({ AUTH: `535 no ${PASSWORD}` }), 'credential_refused'],
  ['asks on and on', smtp({ AUTH: flood('334 go on\r\n') }), FAILED, TOO_LARGE],
  ['drips an answer', smtp({ AUTH: drip('2') }), LATE],
  ['ends at a sender', smtp({ MAIL: cut }), FAILED],
  ['answers a sender for ever', smtp({ MAIL: flood('250 ok\r\n') }), FAILED, TOO_LARGE],
  ['takes nobody', smtp({ RCPT: '550 no' }), FAILED],
  ['takes no message', smtp({ DATA: '554 no' }), FAILED],
  ['takes a message that it does not have', smtp({ DATA: '354 go on\r\n250 taken' }), FAILED],
  ['takes none of that size', smtp({ EHLO: '250-a\r\n250-AUTH PLAIN\r\n250 SIZE 10' }), FAILED],
  ['is silent at the message', smtp({ DATA: silent }), LATE],
  ['says goodbye at the message', smtp({ DATA: '421 bye' }), FAILED],
  // The message has been handed over: what is not confirmed is in doubt, whatever the reason.
  ['is silent at the end', smtp({ dot: silent }), DOUBT, SLOW],
  ['drips at the end', smtp({ dot: drip('2') }), DOUBT, SLOW],
  ['ends at the end', smtp({ dot: cut }), DOUBT],
  ['floods at the end', smtp({ dot: flood('250-a\r\n') }), DOUBT],
  ['sends empty lines at the end', smtp({ dot: flood('\n') }), DOUBT],
  ['speaks strangely at the end', smtp({ dot: 'thanks' }), DOUBT],
  [
    'knows LOGIN alone',
    smtp({ EHLO: '250-a\r\n250 AUTH LOGIN', AUTH: '334 VXNlcm5hbWU6', ...LOGIN, [word]: '235 in' }),
    'success',
  ],
  ['refuses at the end', smtp({ dot: `554 no ${PASSWORD}` }), FAILED],
];

const HUGE = '{4294967295}\r\n';
const NESTED = `* 1 FETCH (BODYSTRUCTURE ${'('.repeat(20_000)}\r\n`;
const IMAP_CASES: readonly Case[] = [
  ['never greets', imap({ greeting: silent }), LATE],
  ['drips a greeting', imap({ greeting: drip('* ') }), LATE],
  ['ends no line', imap({ greeting: flood('*') }), FAILED, TOO_LARGE],
  ['sends empty lines', imap({ greeting: flood('\n') }), FAILED],
  ['greets with a literal', imap({ greeting: `* OK ${HUGE}` }), TOO_LARGE],
  ['is signed in to already', imap({ greeting: '* PREAUTH hello\r\n' }), FAILED],
  ['says goodbye', imap({ greeting: '* BYE no\r\n' }), FAILED],
  ['speaks another protocol', imap({ greeting: 'HTTP/1.1 200 OK\r\n' }), FAILED],
  ['can do things without end', imap({ CAPABILITY: flood('* CAPABILITY X\r\n') }), FAILED, TOO_LARGE],
  ['can do too much', imap({ CAPABILITY: `* CAPABILITY ${'X '.repeat(30_000)}\r\n` }), FAILED],
  ['lets nobody sign in', imap({ CAPABILITY: '* CAPABILITY LOGINDISABLED\r\n' }), FAILED],
  [
    'repeats what is wrong',
    imap({ LOGIN: (peer, tag) => peer.say(`${tag} NO ${PASSWORD}\r\n`) }),
    'credential_refused',
  ],
  ['asks on and on', imap({ LOGIN: flood('+ go on\r\n') }), FAILED],
  ['answers another command', imap({ EXAMINE: 's999 OK done\r\n' }), FAILED],
  ['counts for ever', imap({ EXAMINE: flood('* 4294967295 EXISTS\r\n') }), FAILED, TOO_LARGE],
  ['drips answers', imap({ EXAMINE: drip('* 1 EXISTS\r\n') }), LATE],
  ['is silent at a message', imap({ FETCH: silent }), LATE],
  ['ends at a message', imap({ FETCH: cut }), FAILED],
  ['sends a message of 4 GiB', imap({ FETCH: `* 1 FETCH (UID 1 BODY[]<0> ${HUGE}` }), TOO_LARGE],
  [
    'sends a message for ever',
    imap({ FETCH: flood('* 1 FETCH (UID 1 BODY[]<0> {9000}\r\n') }),
    FAILED,
    TOO_LARGE,
  ],
  ['sends literals for ever', imap({ FETCH: flood('{1}\r\nx') }), FAILED, TOO_LARGE],
  ['nests lists', imap({ FETCH: NESTED }), FAILED],
  ['nests lists that end', imap({ FETCH: `* 1 FETCH ${'('.repeat(90)}${')'.repeat(90)}\r\n` }), FAILED],
  ['lists without end', imap({ FETCH: `* 1 FETCH (${'a '.repeat(30_000)})\r\n` }), FAILED],
  ['ends no text', imap({ FETCH: '* 1 FETCH (UID "1\r\n' }), FAILED],
];

const DRAFT_CASES: readonly Case[] = [
  ['takes a draft', imap({}), 'success'],
  ['has no folder for it', imap({ LIST: '' }), FAILED],
  ['lists for ever', imap({ LIST: flood('* LIST () "/" a\r\n') }), FAILED, TOO_LARGE],
  ['names a folder that is a command', imap({ LIST: '* LIST (\\Drafts) "/" {5}\r\na\r\nb \r\n' }), FAILED],
  ['takes no draft', imap({ APPEND: (peer, tag) => peer.say(`${tag} NO\r\n`) }), FAILED],
  ['ends before it', imap({ APPEND: cut }), FAILED],
  ['refuses at its end', imap({ end: (peer, tag) => peer.say(`${tag} NO\r\n`) }), FAILED],
  ['is silent at its end', imap({ end: silent }), DOUBT, SLOW],
  ['ends at its end', imap({ end: cut }), DOUBT],
  ['floods at its end', imap({ end: flood('* 1 EXISTS\r\n') }), DOUBT],
];

const ACTIONS = [
  ['email.send', SMTP_CASES, LETTER, () => letters],
  ['email.fetch', IMAP_CASES, {}, () => folders],
  ['email.draft', DRAFT_CASES, LETTER, () => folders],
] as const;

async function hostileWorld(security: 'tls' | 'starttls'): Promise<Awaited<ReturnType<typeof mailWorld>>> {
  const all = await mailWorld(authority, LIMITS, EGRESS);
  for (const port of Object.values(ports)) await allow(all.operator, port);
  const servers = { imap: { port: ports.imap, security }, smtp: { port: ports.smtp, security } };
  await all.operator.request('account.add', mailAccount(servers));
  letters.security = security;
  folders.security = security;
  return all;
}

it('whatever a mail server answers ends in time and in bounds, with an error that says what is known', async () => {
  const { world, run } = await hostileWorld('tls');
  const isLate = ([, , code, isSlow]: Case): boolean => code === LATE || isSlow === SLOW;
  for (const [action, cases, payload, serverOf] of ACTIONS) {
    const server = serverOf();
    for (const [name, script, ...codes] of cases.filter((one) => !isLate(one))) {
      server.script = script;
      const before = server.connections;
      const answer = await run.client.request(action, payload);
      const told = codeOf(answer);
      expect(JSON.stringify(answer)).not.toContain(PASSWORD);
      expect([action, name, codes.includes(told) ? codes : told]).toEqual([action, name, codes]);
      expect([name, server.connections - before]).toEqual([name, 1]);
      expect(server.peer?.socket.bytesWritten ?? 0).toBeLessThan(MOST_BYTES);
    }
  }
  // Those that use up the time, all at once: which connection gets which of them makes no difference.
  const late = async ([action, cases, payload, serverOf]: (typeof ACTIONS)[number]): Promise<void> => {
    const slow = cases.filter(isLate);
    const scripts = slow.map(([, script]) => script);
    serverOf().script = (peer) => scripts.shift()?.(peer);
    const told = await Promise.all(slow.map(() => run.client.request(action, payload)));
    expect(told.map(codeOf).toSorted()).toEqual(slow.map(([, , code = '']) => code).toSorted());
    expect(scripts).toEqual([]);
  };
  const [sends, reads, drafts] = ACTIONS;
  await Promise.all([late(sends), late(reads)]);
  await late(drafts);

  // What nobody asked for costs nothing, and hides nothing.
  const extra =
    '* VANISHED 1:4294967295\r\n* SEARCH 1:4294967295\r\n* 7 EXPUNGE\r\n* OK [UIDNEXT 1] x(\r\n'.repeat(100);
  folders.script = imap({
    FETCH: `${extra}* 1 FETCH (UID 7 FLAGS () RFC822.SIZE 14 BODY[]<0> {14}\r\nSubject: fine\n)\r\n${extra}`,
  });
  const { messages } = dataOf(await run.client.request('email.fetch', {}));
  expect(messages).toMatchObject([{ uid: 7, subject: 'fine' }]);
  // A server that knows the password may write it into a letter.
  const letter = `Subject: ${PASSWORD}\r\n\r\n`;
  folders.script = imap({ FETCH: `* 1 FETCH (UID 7 BODY[]<0> {${letter.length}}\r\n${letter})\r\n` });
  const told = dataOf(await run.client.request('email.fetch', {}));
  expect(told['messages']).toMatchObject([{ subject: expect.stringMatching(/^\[REDACTED:account .+\]$/) }]);
  expect(world.rows('action_pending').at(-1)?.data['account']).toBe(told['account']);
  for (const written of [JSON.stringify(world.rows()), readFileSync(world.paths.gatewayLog, 'utf8')])
    expect(written).not.toContain(PASSWORD);
}, 120_000);

it('a server that begins in plain text is told nothing before it is secure, and nothing is taken from it', async () => {
  const { run } = await hostileWorld('starttls');
  const can = { CAPABILITY: '* CAPABILITY IMAP4rev1 STARTTLS\r\n' };
  const ehlo = { EHLO: '250-mail.test\r\n250-STARTTLS\r\n250 AUTH PLAIN' };
  const cases: readonly (readonly [string, string, Script, ...string[]])[] = [
    ['email.fetch', 'strips', imap({}), FAILED],
    ['email.fetch', 'refuses', imap({ ...can, STARTTLS: (peer, tag) => peer.say(`${tag} NO\r\n`) }), FAILED],
    [
      'email.fetch',
      'slips an answer in',
      imap({ ...can, STARTTLS: (peer, tag) => peer.say(`${tag} OK\r\n* CAPABILITY AUTH=PLAIN\r\n`) }),
      FAILED,
    ],
    [
      'email.fetch',
      'slips the begin of a line in',
      imap({ ...can, STARTTLS: (peer, tag) => peer.say(`${tag} OK\r\n* X`) }),
      FAILED,
    ],
    ['email.fetch', 'is signed in to already', imap({ greeting: '* PREAUTH hi\r\n' }), FAILED],
    ['email.send', 'strips', smtp({}), FAILED],
    ['email.send', 'refuses', smtp({ ...ehlo, STARTTLS: '454 later' }), FAILED],
    [
      'email.send',
      'slips an answer in',
      smtp({ ...ehlo, STARTTLS: '220 go\r\n250-x\r\n250 AUTH PLAIN' }),
      FAILED,
    ],
    [
      'email.send',
      'slips the begin of a line in',
      smtp({ ...ehlo, STARTTLS: (peer) => peer.say('220 go\r\n250') }),
      FAILED,
    ],
    ['email.send', 'floods', smtp({ EHLO: flood('250-A\r\n') }), FAILED, TOO_LARGE],
    ['email.send', 'sends empty lines', smtp({ greeting: flood('\n') }), FAILED, TOO_LARGE],
  ];
  for (const [action, name, script, ...codes] of cases) {
    const server = action === 'email.send' ? letters : folders;
    server.script = script;
    const told = codeOf(await run.client.request(action, action === 'email.send' ? LETTER : {}));
    expect([action, name, codes.includes(told) ? codes : told]).toEqual([action, name, codes]);
    const said = (server.peer?.lines ?? []).filter((line) =>
      /^(?:EHLO|STARTTLS|s\d+ (?:CAPABILITY|STARTTLS))\b/.test(line),
    );
    const readable = (server.peer?.lines ?? []).filter((line) => /^[ -~]*$/.test(line) && line !== '');
    expect([name, readable]).toEqual([name, said]);
  }
  // They agree, and then do not go on.
  folders.script = imap(can);
  letters.script = smtp({ ...ehlo, STARTTLS: '220 go' });
  const told = await Promise.all([
    run.client.request('email.fetch', {}),
    run.client.request('email.send', LETTER),
  ]);
  expect(told.map(codeOf)).toEqual([LATE, LATE]);
}, 180_000);
