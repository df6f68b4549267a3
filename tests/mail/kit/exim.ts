import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from './authority.js';
import { answers, freePort } from './ports.js';

const PROGRAM = '/usr/sbin/exim4';

/** Why Exim cannot be started here; undefined where it can. */
export function eximMissing(): string | undefined {
  if (!existsSync(PROGRAM)) return 'no exim: apt-get install exim4-daemon-light';
  return process.getuid?.() === 0 ? undefined : 'exim wants root';
}

/** What Exim has taken: whom it is for, and the letter as it stands in its queue. */
export interface Queued {
  readonly to: readonly string[];
  readonly head: string;
  readonly body: string;
}

/**
 * A real Exim on loopback that delivers nothing: what it takes stays in its queue. It knows `ada` and nobody
 * of the name `nobody`, takes no letter of more than 1 MB, and offers PIPELINING.
 */
export class Exim {
  readonly folder = mkdtempSync(join(tmpdir(), 'sub-exim-'));
  smtp = 0;
  smtps = 0;
  #child: ChildProcess | undefined;

  async start(authority: Authority, password: string): Promise<void> {
    [this.smtp, this.smtps] = [await freePort(), await freePort()];
    chmodSync(this.folder, 0o755);
    for (const name of ['spool', 'log']) {
      mkdirSync(join(this.folder, name));
      chmodSync(join(this.folder, name), 0o777);
    }
    // It reads them when it is root no more.
    for (const name of ['cert.pem', 'key.pem'] as const) {
      copyFileSync(authority.path(name), join(this.folder, name));
      chmodSync(join(this.folder, name), 0o644);
    }
    const config = join(this.folder, 'exim.conf');
    writeFileSync(config, this.#config(password), { mode: 0o644 });
    const args = ['-C', config, '-bdf', '-oP', join(this.folder, 'log', 'pid')];
    this.#child = spawn(PROGRAM, args, { stdio: 'ignore' });
    await answers(this.smtps);
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** What stands in its queue, in no order. */
  queued(): readonly Queued[] {
    const folder = join(this.folder, 'spool', 'input');
    if (!existsSync(folder)) return [];
    return readdirSync(folder)
      .filter((name) => name.endsWith('-H'))
      .map((name) => {
        const text = readFileSync(join(folder, name), 'latin1');
        const end = text.indexOf('\n\n');
        const lines = text.slice(0, end).split('\n');
        const count = lines.findLastIndex((line) => /^[0-9]+$/.test(line));
        const [, ...body] = readFileSync(join(folder, name.replace(/H$/, 'D')), 'latin1').split('\n');
        return { to: lines.slice(count + 1), head: text.slice(end + 2), body: body.join('\n') };
      });
  }

  #config(password: string): string {
    const { folder } = this;
    return `primary_hostname = mail.test
keep_environment =
spool_directory = ${folder}/spool
log_file_path = ${folder}/log/%s
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${this.smtp} : ${this.smtps}
tls_on_connect_ports = ${this.smtps}
tls_advertise_hosts = *
tls_certificate = ${folder}/cert.pem
tls_privatekey = ${folder}/key.pem
auth_advertise_hosts = \${if eq{$tls_in_cipher}{}{}{*}}
message_size_limit = 1M
queue_only = true
acl_smtp_rcpt = recipient
acl_smtp_data = accept
begin acl
recipient:
  deny condition = \${if match{$local_part}{^nobody}}
  accept authenticated = *
  deny
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_condition = \${if and{{eq{$auth2}{ada}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
  server_prompts = :
`;
  }
}
