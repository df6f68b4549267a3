import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Authority } from './authority.js';
import { answers, freePort } from './ports.js';

const PROGRAM = '/usr/sbin/dovecot';

/** Why Dovecot cannot be started here; undefined where it can. */
export function dovecotMissing(): string | undefined {
  if (!existsSync(PROGRAM)) return 'no dovecot: apt-get install dovecot-imapd';
  if (process.getuid?.() !== 0) return 'dovecot wants root';
  const version = execFileSync(PROGRAM, ['--version'], { encoding: 'utf8' });
  return version.startsWith('2.3.')
    ? undefined
    : `the configuration here is for dovecot 2.3, and this is ${version.trim()}`;
}

/**
 * A real Dovecot with one user, `ada`, on loopback: TLS from the first byte on one port, STARTTLS on the
 * other.
 */
export class Dovecot {
  readonly folder = mkdtempSync(join(tmpdir(), 'sub-dovecot-'));
  imap = 0;
  imaps = 0;
  #child: ChildProcess | undefined;

  async start(authority: Authority, password: string): Promise<void> {
    [this.imap, this.imaps] = [await freePort(), await freePort()];
    chmodSync(this.folder, 0o755);
    mkdirSync(join(this.folder, 'mail'), { recursive: true, mode: 0o777 });
    chmodSync(join(this.folder, 'mail'), 0o777);
    const config = join(this.folder, 'dovecot.conf');
    writeFileSync(config, this.#config(authority, password));
    this.#child = spawn(PROGRAM, ['-F', '-c', config], { stdio: 'ignore' });
    await answers(this.imap);
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

  #config(authority: Authority, password: string): string {
    const { folder } = this;
    return `base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
ssl = required
ssl_cert = <${authority.path('cert.pem')}
ssl_key = <${authority.path('key.pem')}
disable_plaintext_auth = yes
auth_mechanisms = plain login
first_valid_uid = 1
first_valid_gid = 1
mail_location = maildir:${folder}/mail
service anvil {
  chroot =
}
service imap-login {
  chroot =
  inet_listener imap {
    port = ${this.imap}
  }
  inet_listener imaps {
    port = ${this.imaps}
    ssl = yes
  }
}
passdb {
  driver = static
  args = password=${password} user=ada
}
userdb {
  driver = static
  args = uid=mail gid=mail home=${folder}/mail
}
namespace inbox {
  inbox = yes
  mailbox Entwürfe {
    auto = create
    special_use = \\Drafts
  }
}
`;
  }
}
