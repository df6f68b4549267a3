import { describe, expect, it } from 'vitest';
import { columnsOf } from '../output/columns.js';
import type { Sink } from '../output/output.js';
import { valueLine } from './completion/values.js';
import { main } from './main.js';
import { VERBS } from './verbs.js';

/** A stream that keeps what is written. */
class Kept implements Sink {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY = false) {
    this.isTTY = isTTY;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  on(): this {
    return this;
  }
}

async function sub(argv: readonly string[], env: NodeJS.ProcessEnv = {}, tty = false) {
  const stdout = new Kept(tty);
  const stderr = new Kept(tty);
  const code = await main(argv, {
    env,
    stdout,
    stderr,
    cwd: () => '/',
    now: () => Date.UTC(2026, 0, 1),
    gatewayProgram: '/nonexistent/gateway.js',
    program: '/nonexistent/sub.mjs',
    starterPolicies: '/nonexistent/policies',
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

describe('sub', () => {
  it('without a verb shows those that are needed first', async () => {
    const { code, stdout } = await sub([]);
    expect(code).toBe(0);
    expect(stdout).toContain('\n  policy');
    for (const later of ['audit', 'witness', 'completion', 'ledgerd']) expect(stdout).not.toContain(later);
    expect(await sub(['help'])).toMatchObject({ code: 0, stdout });
    expect(await sub(['--help'])).toMatchObject({ code: 0, stdout });
  });

  it('shows every verb with `help all`', async () => {
    const { code, stdout } = await sub(['help', 'all']);
    expect(code).toBe(0);
    for (const { name, summary } of VERBS)
      expect(stdout.replaceAll(/\n {3,}/g, ' ')).toMatch(
        new RegExp(`\\n {2}${name} +${summary.replaceAll(/[()]/g, '.')}\\n`),
      );
  });

  it.each(['--help', 'help', 'help audit', 'audit verify --help', 'run --help'])(
    '`sub %s` prints help and exits 0',
    async (line) => {
      const { code, stdout, stderr } = await sub(line.split(' '));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('Usage: sub');
    },
  );

  it('`help` takes the words of a verb in a group', async () => {
    expect((await sub(['help', 'allow', 'add'])).stdout).toContain(
      'Usage: sub allow add [options] <host[:port]>',
    );
  });

  it.each([['version'], ['--version'], ['-V'], ['-v']])('`%s` prints the version', async (word) => {
    expect(await sub([word])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sub 0\.1\.0 \(/) });
  });

  it('prints the version as JSON', async () => {
    const { code, stdout } = await sub(['version', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ version: '0.1.0', interface_pack: '0.2.0' });
  });
});

describe('a wrong command line', () => {
  it.each([
    [['nonsense'], 'unknown command `nonsense`'],
    [['allow', 'add'], 'missing required argument `host'],
    [['allow', 'nonsense'], 'unknown command `nonsense`'],
    [['query', '--nonsense'], 'unknown option `--nonsense`'],
    [['query', '--limit', 'many'], '`many` is not a whole number from 1 to 1000'],
    [['query', '--decision', 'MAYBE'], '`MAYBE` is not one of `allowed`'],
    [['query', '--since', 'tomorrow'], '`tomorrow` is not a time'],
    [['shim', 'stdio', '--', 'node'], 'required option'],
    [['completion', 'tcsh'], 'there is no completion for `tcsh`'],
    [['run'], 'missing required argument'],
    [['help', 'nonsense'], 'there is no verb `nonsense`'],
    [['help', 'allow', 'nonsense'], 'there is no verb `allow nonsense`'],
    [['status', '--home', ''], '`--home` is empty'],
    [
      ['call', 'service.api_call', '--payload', '@/nonexistent'],
      'the payload `@/nonexistent` cannot be read',
    ],
  ])('%j exits 2 and says what is wrong', async (argv, message) => {
    const { code, stdout, stderr } = await sub(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^error\[usage\]: [a-z`]/);
    expect(stderr).toContain(message);
    expect(stderr).toContain('\nhelp: ');
  });

  it('suggests what was meant', async () => {
    expect((await sub(['quary'])).stderr).toContain('help: did you mean `sub query`?');
  });

  it.each([
    ['stop', '`sub down` or `sub panic`'],
    ['start', '`sub up`'],
    ['logs', '`sub tail` or `sub query`'],
    ['explain 20', '`sub why` or `sub policy explain`'],
    ['help logs', '`sub tail` or `sub query`'],
    ['help polciy', '`sub policy`'],
    ['help policy replya', '`sub policy replay`'],
    ['allow rm x', '`sub allow remove`'],
    ['allow lsit', '`sub allow list`'],
    ['allow npm', '`sub allow preset npm`'],
    ['ls', '`sub runs` or `sub query`'],
    ['hosts', '`sub allow`'],
  ])('`sub %s` is told of the verb that does it here', async (line, verbs) => {
    const { code, stderr } = await sub(line.split(' '));
    expect({ code, help: stderr.split('\n')[1] }).toEqual({ code: 2, help: `help: did you mean ${verbs}?` });
  });

  it.each(['policy', 'hints', 'allow', 'audit', 'hooks', 'account'])(
    '`sub %s` alone prints its help and exits 0',
    async (group) => {
      const { code, stdout, stderr } = await sub([group]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: sub ${group}`);
      expect(stdout).toMatch(/\nCommands:\n/);
    },
  );

  it('`sub approvals` alone is the inbox, with its flags', async () => {
    const { code, stderr } = await sub(['approvals', '--home', '/nonexistent']);
    expect(code).toBe(5);
    expect(stderr).toContain('there is no home at `/nonexistent`');
    expect((await sub(['approvals', '--help'])).stdout).toContain('Usage: sub approvals');
  });

  it('says where a flag belongs that stands before the verb', async () => {
    expect((await sub(['--home', '/h', 'status'])).stderr).toContain(
      'help: flags stand behind the verb: `sub VERB --home`',
    );
  });

  it('is one JSON object on stdout with --json', async () => {
    const { code, stdout, stderr } = await sub(['query', '--limit', 'many', '--json']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: 'usage',
        message: '`many` is not a whole number from 1 to 1000',
        help: 'it was given for `--limit`',
      },
    });
  });

  it('shows what was typed with control characters escaped', async () => {
    const { stderr } = await sub(['query', '--since', '\u001b[2J\u202e']);
    expect(stderr).toContain('`\\x1b[2J\\u202e` is not a time');
    expect(stderr).not.toContain('\u001b');
  });
});

it('no line of help is over 80 columns', async () => {
  const wide: string[] = [];
  const look = async (...words: readonly string[]): Promise<void> => {
    const lines = (await sub(['help', ...words])).stdout.split('\n');
    wide.push(...lines.filter((line) => columnsOf(line) > 80).map((line) => `${words.join(' ')}: ${line}`));
    const [, members = ''] = lines.join('\n').split('\nCommands:\n');
    for (const [, name = ''] of members.matchAll(/^ {2}([a-z]\S*)/gm))
      if (name !== 'help') await look(...words, name);
  };
  await look();
  await look('all');
  for (const { name } of VERBS) await look(name);
  expect(wide).toEqual([]);
});

describe('colour', () => {
  it('is used on a terminal only, and not with NO_COLOR or TERM=dumb', async () => {
    const argv = ['query', '--limit', 'x'];
    expect((await sub(argv, { TERM: 'xterm' }, true)).stderr).toContain('\u001b[31m');
    expect((await sub(argv, { TERM: 'xterm' }, false)).stderr).not.toContain('\u001b');
    expect((await sub(argv, { TERM: 'xterm', NO_COLOR: '1' }, true)).stderr).not.toContain('\u001b');
    expect((await sub(argv, { TERM: 'dumb' }, true)).stderr).not.toContain('\u001b');
  });
});

describe('completion', () => {
  it('knows the words of flags and operands, and asks for the values that change', async () => {
    const { stdout } = await sub(['completion', 'bash']);
    expect(stdout).toContain("'query --decision') words='allowed refused hinted asked slowed ended'");
    expect(stdout).toContain("'query --run') words=''; more='runs'");
    expect(stdout).toContain("'restore') words='claude codex cursor");
    expect(stdout).toContain("'allow remove') words=''; more='hosts'");
    expect(stdout).toContain('command sub completion values "$more" 2>/dev/null');
  });

  it('says nothing of values where there is no home, and knows its kinds', async () => {
    const quiet = { code: 0, stdout: '', stderr: '' };
    for (const kind of ['runs', 'servers', 'hosts', 'approvals'])
      expect(await sub(['completion', 'values', kind, '--home', '/nonexistent'])).toEqual(quiet);
    expect((await sub(['completion', 'values', 'secrets'])).code).toBe(2);
  });

  it.each(['$(touch x)', '`x`', 'a b', '-rf', 'a;b', "a'b", '', 'a\nb', 'x'.repeat(101), '\u202ea'])(
    'leaves out the value %j, which a shell could read as more than a word',
    (text) => {
      expect(valueLine([text, 'server'])).toEqual([]);
    },
  );

  it('offers a value with what is beside it in plain letters', () => {
    expect(valueLine(['claude:builtin', 'a\u001b[31m 文'])).toEqual(['claude:builtin\ta\\x1b[31m ?']);
  });

  it.each(['bash', 'zsh', 'fish'])('for %s knows every verb and flag', async (shell) => {
    const { code, stdout } = await sub(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['allow', 'account', 'deactivate', 'audit', 'verify', 'pin', 'ledgerd', 'no-follow']) {
      expect(stdout).toContain(word);
    }
  });
});

it.each(['status', 'query', 'tail', 'runs'])(
  'a missing home is named by `%s`, and not created',
  async (verb) => {
    const { code, stderr } = await sub([verb, '--home', '/nonexistent/home']);
    expect(code).toBe(5);
    expect(stderr).toBe(
      'error[home_missing]: there is no home at `/nonexistent/home`\nhelp: run `sub init` to create one, or `sub up` alone\n',
    );
  },
);
