import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, lstatSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Why no disk can be mounted for a test; undefined where one can. */
export function whyNoMount(): string | undefined {
  const { status, stderr, error } = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/**
 * A disk of a few megabytes in a mount namespace of its own, which lives as long as a process that holds it.
 */
export class SmallDisk {
  readonly #mountPoint = mkdtempSync(join(tmpdir(), 'sub-d-'));
  readonly #holder: ChildProcess;

  private constructor(bytes: string) {
    const script = `mount -t tmpfs -o size=${bytes},mode=700 none "$0" && echo ready && exec sleep 600`;
    this.#holder = spawn('unshare', ['-rm', 'sh', '-c', script, this.#mountPoint], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  static async mount(bytes: string): Promise<SmallDisk> {
    const disk = new SmallDisk(bytes);
    if (disk.#holder.stdout !== null) await once(disk.#holder.stdout, 'data');
    return disk;
  }

  /** As who stands inside sees it, and how to get there. */
  get inside(): { readonly root: string; readonly command: readonly string[] } {
    const enter = ['nsenter', '-t', String(this.#holder.pid), '-U', '-m', '--preserve-credentials'];
    return { root: this.#mountPoint, command: enter };
  }

  /** As who stands outside reaches it. SQLite does not: it resolves links, and would leave the namespace. */
  get root(): string {
    return `/proc/${this.#holder.pid}/root${this.#mountPoint}`;
  }

  /** Takes every byte that is left, and a bit less than a page of what is given back again. */
  fill(): void {
    for (let size = 1 << 20; size >= 512; size /= 2) {
      for (let n = 0; ; n += 1) {
        try {
          writeFileSync(join(this.root, `filler-${size}-${n}`), Buffer.alloc(size));
        } catch {
          // Full for files of that size.
          break;
        }
      }
    }
  }

  free(): void {
    spawnSync('sh', ['-c', `rm -f ${this.root}/filler-*`]);
  }

  /** Everything on it, in a folder that can be read by all means. */
  copyTo(folder: string): void {
    cpSync(this.root, folder, { recursive: true, filter: (source) => !lstatSync(source).isSocket() });
  }

  async remove(): Promise<void> {
    const gone = once(this.#holder, 'exit');
    this.#holder.kill('SIGKILL');
    await gone;
    rmSync(this.#mountPoint, { recursive: true, force: true });
  }
}
